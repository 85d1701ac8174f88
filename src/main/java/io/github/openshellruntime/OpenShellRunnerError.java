// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.time.Duration;

/**
 * Thrown when a run of the CLI has no outcome. In spite of its name it is a {@link RuntimeException}: a real
 * {@link Error} would pass a dispatcher's {@code catch (Exception)}.
 *
 * <p>Dispatch on {@link #kind()} and {@link #reason()}. The message holds no argument, environment value, path or output;
 * there is no cause. Immutable and thread-safe. After Java serialization the captured output is empty.
 */
public final class OpenShellRunnerError extends RuntimeException {

    /** What became of the run. {@code toString()} is {@code name()}; constants may be added, never renamed. */
    public enum Kind {
        /** Our deadline passed, and nothing else: exit codes 124 and 137 are exit codes. The local tree was killed. */
        TIMED_OUT,
        /** The run did not start, or cannot be relied on. */
        FAILED
    }

    /** Why. {@code toString()} is {@code name()}; constants may be added, never renamed. */
    public enum Reason {
        /** The deadline of the options: the only reason of {@link Kind#TIMED_OUT}. */
        DEADLINE("the deadline passed; the local process tree was killed. A command in the sandbox goes on, and a create"
                + " may leave a sandbox behind: delete it"),
        /** Nothing is at the executable's path, or a link to nothing; or no {@code PATH} entry has an openshell. */
        EXECUTABLE_NOT_FOUND("there is no such executable; check openshellPath or PATH"),
        /** The executable is a directory or lacks the permission to be executed. */
        EXECUTABLE_NOT_EXECUTABLE("the executable cannot be executed; check its permissions"),
        /** The kernel takes no argv and environment of this size, or no single argument. */
        ARGUMENTS_TOO_LARGE("the kernel does not take arguments and environment of this size"),
        /** Anything else that kept the process from starting. */
        LAUNCH_FAILED("the process could not be launched: a missing interpreter, no memory, or an environment value that"
                + " this JVM cannot hand over (a NUL, or non-ASCII text without a UTF-8 locale)"),
        /** A stream of the process could not be read: what was captured is not all. */
        OUTPUT_FAILED("an output stream could not be read to its end; the outcome is not known"),
        /** The executable is no {@code openshell} from 0.1.0 on, or did not say so within 10 seconds. */
        UNSUPPORTED_CLI("the executable did not answer --version with \"openshell X.Y.Z\" from " + OpenShellVersion.OLDEST
                + " on within 10 seconds; install OpenShell " + OpenShellVersion.OLDEST + " or newer"),
        /** The answer to get or list is cut, malformed, of a failed run, or not what was asked for. */
        UNREADABLE_ANSWER("the answer of the CLI cannot be relied on");

        private final String words;

        Reason(String words) {
            this.words = words;
        }
    }

    private static final long serialVersionUID = 1L;

    private final Kind kind;
    private final Reason reason;
    private final transient CapturedOutput stdout;
    private final transient CapturedOutput stderr;
    private final Duration elapsed;

    OpenShellRunnerError(Reason reason, CapturedOutput stdout, CapturedOutput stderr, Duration elapsed) {
        super((reason == Reason.DEADLINE ? Kind.TIMED_OUT : Kind.FAILED) + " " + reason + ": " + reason.words
                + sizes(stdout, stderr, elapsed));
        this.kind = reason == Reason.DEADLINE ? Kind.TIMED_OUT : Kind.FAILED;
        this.reason = reason;
        this.stdout = stdout;
        this.stderr = stderr;
        this.elapsed = elapsed;
    }

    /** A failure before anything was started. */
    static OpenShellRunnerError notStarted(Reason reason) {
        return new OpenShellRunnerError(reason, CapturedOutput.EMPTY, CapturedOutput.EMPTY, Duration.ZERO);
    }

    private static String sizes(CapturedOutput stdout, CapturedOutput stderr, Duration elapsed) {
        return elapsed.isZero() ? "" : " (after " + elapsed.toMillis() + " ms; " + stdout.totalBytes()
                + " bytes on stdout, " + stderr.totalBytes() + " on stderr)";
    }

    /** Returns what became of the run. */
    public Kind kind() {
        return kind;
    }

    /** Returns why. */
    public Reason reason() {
        return reason;
    }

    /** Returns what was captured of standard output by then; empty, never null. */
    public CapturedOutput stdout() {
        return stdout == null ? CapturedOutput.EMPTY : stdout;
    }

    /** Returns what was captured of standard error by then; empty, never null. */
    public CapturedOutput stderr() {
        return stderr == null ? CapturedOutput.EMPTY : stderr;
    }

    /** Returns the time from the start of the process to the end of the run; zero when nothing was started. */
    public Duration elapsed() {
        return elapsed;
    }
}
