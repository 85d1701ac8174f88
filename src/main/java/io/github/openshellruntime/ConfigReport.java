// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.Problem.Rule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What is wrong with one config, collected. A megabyte can hold thousands of problems and twenty are shown, so words and
 * places are made for those alone.
 */
final class ConfigReport {

    /**
     * A clause of a grammar: its rule, what breaks it, and what is said then. A grammar is a list of them; the first that is
     * broken refuses, and each may rely on those before it.
     */
    record Clause<T>(Rule rule, Predicate<T> broken, Function<T, String> message, Function<T, String> hint) {

        static final Clause<JsonValue> STRING = type(value -> value.kind() != JsonValue.Kind.STRING, "a string");

        static <T> Clause<T> of(Rule rule, Predicate<T> broken, Function<T, String> message, String hint) {
            return new Clause<>(rule, broken, message, value -> hint);
        }

        static <T> Clause<T> value(Predicate<T> broken, String message) {
            return of(Rule.VALUE, broken, value -> message, "");
        }

        static Clause<JsonValue> type(Predicate<JsonValue> broken, String wanted) {
            return of(Rule.TYPE, broken, value -> "must be " + wanted + ", is " + value.kind().words(), "");
        }

        /** The clause that refuses, or null. */
        static <T> Clause<T> firstBroken(List<Clause<T>> grammar, T value) {
            for (Clause<T> clause : grammar) {
                if (clause.broken.test(value)) {
                    return clause;
                }
            }
            return null;
        }
    }

    private record Finding(Rule rule, int offset, Supplier<String> pointer, Supplier<String> message,
            Supplier<String> hint) {
    }

    private static final Comparator<Finding> ORDER =
            Comparator.comparingInt((Finding found) -> RefusedException.group(found.rule)).thenComparingInt(Finding::offset);

    private final JsonSource source;
    private final List<Finding> findings = new ArrayList<>();

    ConfigReport(JsonSource source) {
        this.source = source;
    }

    /** @param offset where it is, or {@link JsonSource#NO_OFFSET} */
    void add(Rule rule, int offset, Supplier<String> pointer, Supplier<String> message, Supplier<String> hint) {
        findings.add(new Finding(rule, offset, pointer, message, hint));
    }

    /** Adds what a value breaks first of its grammar, and returns whether it keeps all of it. */
    <T> boolean keeps(List<Clause<T>> grammar, T value, int offset, Supplier<String> pointer) {
        Clause<T> broken = Clause.firstBroken(grammar, value);
        if (broken != null) {
            add(broken.rule, offset, pointer, () -> broken.message.apply(value), () -> broken.hint.apply(value));
        }
        return broken == null;
    }

    boolean isEmpty() {
        return findings.isEmpty();
    }

    RefusedException refusal(String sourceName) {
        List<Problem> shown = findings.stream().sorted(ORDER).limit(RefusedException.SHOWN).map(found -> source.problem(
                found.rule, found.pointer.get(), found.offset, found.message.get(), found.hint.get())).toList();
        return new RefusedException(RefusedException.Code.SCHEMA_INVALID, sourceName, shown, findings.size());
    }
}
