// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.List;

/**
 * Thrown when input is refused: a config, a session id, a command, a workload binary. The refused call has written and
 * started nothing. Only {@link Realms#open} may have: a runner refuses an argument that this JVM cannot hand over after the
 * policy was written, and {@code open} then cleans up.
 *
 * <p>It reports everything that is wrong at once: at most {@value #SHOWN} problems; {@link #omitted()} counts the rest.
 * Their order is fixed: denied keys, duplicate keys, unknown keys, missing keys, then by position. Dispatch on
 * {@link #code()} and {@link Problem#rule()}; the words of the message may change.
 *
 * <p>{@link #getMessage()} is printable ASCII and line feeds; nothing in the input can forge a line of it. It quotes the
 * source's name and keys, escaped and cut at 64 characters; one character of a document that is not JSON, or of a value
 * that may not have it, as {@code U+XXXX}; and two kinds of values: the path of a workload, if it has only {@code A-Za-z0-9._/-}, and an entry of {@code egressAllow}, if it has only
 * {@code A-Za-z0-9.*-} and a colon. A secret that stands there is shown. It quotes no other value of a config, nothing of a
 * command, no session id and no page token. It has no cause.
 *
 * <p>Immutable and thread-safe. After Java serialization {@link #problems()} is empty.
 */
public final class RefusedException extends RuntimeException {

    /** What kind of input is refused. {@code toString()} is {@code name()}; constants may be added, never renamed. */
    public enum Code {
        /** A config, its file included. */
        SCHEMA_INVALID,
        /** A session id. */
        SESSION_ID_INVALID,
        /** A command, a page token, or a written policy that does not go with a config. */
        ARGV_INVALID,
        /** What a policy document is made of. */
        POLICY_INVALID
    }

    private static final long serialVersionUID = 1L;

    /** Problems that a report shows. */
    static final int SHOWN = 20;

    private final Code code;
    private final transient List<Problem> problems;
    private final int omitted;

    /**
     * @param source what was read, as the caller named it
     * @param found everything that is wrong, in the order of the report
     */
    RefusedException(Code code, String source, List<Problem> found) {
        this(code, source, found.stream().limit(SHOWN).toList(), found.size());
    }

    /** @param count how many problems there are with those that are not shown */
    RefusedException(Code code, String source, List<Problem> shown, int count) {
        super(report(source, shown, count));
        this.code = code;
        this.problems = shown;
        this.omitted = count - shown.size();
    }

    /** Where the problems of a rule stand in a report: lower comes first, and within a group the place decides. */
    static int group(Problem.Rule rule) {
        return switch (rule) {
            case DENIED_KEY -> 0;
            case DUPLICATE_KEY -> 1;
            case UNKNOWN_KEY -> 2;
            case REQUIRED -> 3;
            default -> 4;
        };
    }

    /** A refusal of one thing that has no place in a source. */
    static RefusedException of(Code code, String source, Problem problem) {
        return new RefusedException(code, source, List.of(problem));
    }

    private static String report(String source, List<Problem> shown, int count) {
        StringBuilder report = new StringBuilder(Text.printable(source)).append(": ").append(count)
                .append(count == 1 ? " problem" : " problems");
        if (shown.size() < count) {
            report.append(", the first ").append(SHOWN).append(" shown");
        }
        for (Problem problem : shown) {
            report.append('\n').append(problem);
        }
        return report.toString();
    }

    /** Returns what kind of input is refused. */
    public Code code() {
        return code;
    }

    /** Returns the problems, at least one and at most 20; unmodifiable, and empty after Java serialization. */
    public List<Problem> problems() {
        return problems == null ? List.of() : problems;
    }

    /** Returns how many problems there are beyond {@link #problems()}. */
    public int omitted() {
        return omitted;
    }
}
