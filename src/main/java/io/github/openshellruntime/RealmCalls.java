// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The calls that the life of a realm is made of, for the realms of one config. */
final class RealmCalls {

    private final OpenShellRunner runner;
    private final RuntimeConfig config;
    private final RealmClock clock;

    RealmCalls(OpenShellRunner runner, RuntimeConfig config, RealmClock clock) {
        this.runner = runner;
        this.config = config;
        this.clock = clock;
    }

    RuntimeConfig config() {
        return config;
    }

    /** A wait that begins now. */
    RealmWait waitFor(Duration whole) {
        return new RealmWait(clock, whole);
    }

    OpenShellRunOutcome run(OpenShellArgv argv, OpenShellRunOptions options) throws InterruptedException {
        // A custom runner need not check, and an interrupt must never be lost between two calls.
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before " + argv.verb().word() + "; nothing was started");
        }
        return runner.run(argv, options);
    }

    RealmState look(SessionId session, OpenShellRunOptions options) throws InterruptedException {
        return RealmState.of(run(OpenShellArgv.get(session), options));
    }

    /** Whether a realm is one that {@link #list} lists. */
    boolean isOurs(RealmState state) {
        Map<String, String> labels = state.labels();
        return OpenShellArgv.MANAGED_LABEL_VALUE.equals(labels.get(OpenShellArgv.MANAGED_LABEL))
                && (config.owner().isEmpty() || config.owner().get().equals(labels.get(OpenShellArgv.OWNER_LABEL)));
    }

    /** All pages, in the order of the answers; unmodifiable. */
    Set<SessionId> list() throws InterruptedException {
        Set<SessionId> sessions = new LinkedHashSet<>();
        Set<String> tokens = new HashSet<>();
        OpenShellArgv argv = OpenShellArgv.list(config);
        while (true) {
            OpenShellRunOutcome answer = run(argv, RealmWait.CALL);
            RealmPage page = RealmPage.of(answer);
            sessions.addAll(page.sessions());
            Optional<String> token = page.nextPageToken();
            if (token.isEmpty()) {
                return Collections.unmodifiableSet(sessions);
            }
            if (!tokens.add(token.get())) {
                throw CliAnswer.of(answer).unreadable("it has a page token for the second time");
            }
            argv = OpenShellArgv.list(config, token.get());
        }
    }
}
