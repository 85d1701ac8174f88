// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.List;

/** What tests ask of refusals. */
final class Refusals {

    /** A call that may be refused. */
    interface Call {
        Object run() throws Exception;
    }

    private Refusals() {
    }

    /** The refusal of a call, or null when it was accepted. Anything else that is thrown fails the test. */
    static RefusedException of(Call call) {
        try {
            call.run();
            return null;
        } catch (RefusedException e) {
            return e;
        } catch (Exception e) {
            throw new AssertionError("not a refusal", e);
        }
    }

    /** {@code RULE pointer} of each problem, in the order of the report. */
    static List<String> summary(RefusedException refusal) {
        return refusal.problems().stream().map(problem -> problem.rule() + " " + problem.pointer()).toList();
    }

    /** {@code RULE pointer line:column} of each problem. */
    static List<String> places(RefusedException refusal) {
        return refusal.problems().stream().map(problem -> problem.rule() + " " + problem.pointer() + " " + problem.line()
                + ":" + problem.column()).toList();
    }
}
