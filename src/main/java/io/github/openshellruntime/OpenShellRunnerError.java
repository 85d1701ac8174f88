// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.time.Duration;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * Thrown when a call of the CLI has no outcome, or an answer that cannot be relied on. In spite of its name it is a
 * {@link RuntimeException}: a real {@link Error} would pass a dispatcher's {@code catch (Exception)}.
 *
 * <p>Dispatch on {@link #kind()} and {@link #reason()}. The message holds no argument, environment value or path, and of an
 * output only the version numbers of an unsupported CLI. There is no cause. Immutable and thread-safe. Java serialization keeps kind, reason, message and time; outputs and numbers
 * are empty afterwards.
 */
public final class OpenShellRunnerError extends RuntimeException {

    /** What became of the run. {@code toString()} is {@code name()}; constants may be added, never renamed. */
    public enum Kind {
        /** Our deadline passed. Exit codes 124 and 137 never mean this: they are outcomes. */
        TIMED_OUT,
        /** The run did not start, failed, or gave an answer that cannot be relied on. */
        FAILED
    }

    /** Why. {@code toString()} is {@code name()}; constants may be added, never renamed. */
    public enum Reason {
        /** The deadline of the options passed: the only reason of {@link Kind#TIMED_OUT}. */
        DEADLINE("the deadline passed"),
        /** Nothing is at the executable's path, or a link to nothing; or no {@code PATH} entry has an openshell. */
        EXECUTABLE_NOT_FOUND("there is no such executable; check openshellPath or PATH"),
        /** The executable is a directory or lacks the permission to be executed. */
        EXECUTABLE_NOT_EXECUTABLE("the executable cannot be executed; check its permissions"),
        /** The argv and environment together, or one argument, are larger than the kernel takes. */
        ARGUMENTS_TOO_LARGE("the kernel does not take arguments and environment of this size"),
        /** Anything else that kept the process from starting. */
        LAUNCH_FAILED("the process could not be launched: a missing interpreter, a file that is being written, no"
                + " memory, no descriptors, or an environment value that this JVM cannot hand over (a NUL, or non-ASCII text without a UTF-8 locale)"),
        /** A stream of the process could not be read: what was captured is not all. */
        OUTPUT_FAILED("an output stream could not be read to its end; the outcome is not known"),
        /** The executable is no {@code openshell} from 0.1.0 on, or did not say so within 10 seconds. */
        UNSUPPORTED_CLI("the executable is no openshell from " + OpenShellVersion.OLDEST + " on, asked with --version for 10"
                + " seconds; install OpenShell " + OpenShellVersion.OLDEST + " or newer"),
        /** A get or list ended with another code than 0: {@link #exitCode()} has it, the outputs say more. */
        CALL_FAILED("the call failed; its standard error says why"),
        /** The answer to get or list is cut, malformed or not what was asked for; the message says which. */
        UNREADABLE_ANSWER("the answer of the CLI cannot be relied on");

        private final String words;

        Reason(String words) {
            this.words = words;
        }
    }

    private static final long serialVersionUID = 2L;

    private final Reason reason;
    private final Duration elapsed;
    private final transient OptionalInt exitCode;
    private final transient OptionalInt errno;
    private final transient CapturedOutput stdout;
    private final transient CapturedOutput stderr;

    private OpenShellRunnerError(Reason reason, String message, OptionalInt exitCode, OptionalInt errno, Duration elapsed,
            CapturedOutput stdout, CapturedOutput stderr) {
        super(kind(reason) + " " + reason + ": " + message);
        if (elapsed.isNegative()) {
            throw new IllegalArgumentException("a run takes no negative time");
        }
        this.reason = reason;
        this.elapsed = elapsed;
        this.exitCode = exitCode;
        this.errno = errno;
        this.stdout = Objects.requireNonNull(stdout);
        this.stderr = Objects.requireNonNull(stderr);
    }

    private static Kind kind(Reason reason) {
        return reason == Reason.DEADLINE ? Kind.TIMED_OUT : Kind.FAILED;
    }

    /**
     * Makes the error of a run whose deadline passed, for the tests of a dispatcher.
     *
     * @param elapsed from the start of the process to the end of the run
     * @throws IllegalArgumentException if {@code elapsed} is negative
     */
    public static OpenShellRunnerError timedOut(Duration elapsed, CapturedOutput stdout, CapturedOutput stderr) {
        return ended(Reason.DEADLINE, false, elapsed, stdout, stderr);
    }

    /**
     * Makes the error of a run that failed, for the tests of a dispatcher: without exit code and error number, with empty
     * outputs, after no time.
     *
     * @throws IllegalArgumentException for {@link Reason#DEADLINE}, which {@link #timedOut} is for
     */
    public static OpenShellRunnerError failed(Reason reason) {
        if (reason == Reason.DEADLINE) {
            throw new IllegalArgumentException("a deadline that passed is made with timedOut");
        }
        return notStarted(reason, OptionalInt.empty());
    }

    /** A process that could not be started. */
    static OpenShellRunnerError notStarted(Reason reason, OptionalInt errno) {
        String number = errno.isPresent() ? " (error " + errno.getAsInt() + ")" : "";
        return new OpenShellRunnerError(reason, reason.words + number, OptionalInt.empty(), errno, Duration.ZERO,
                CapturedOutput.EMPTY, CapturedOutput.EMPTY);
    }

    /** A process that was ended by us. */
    static OpenShellRunnerError ended(Reason reason, boolean stillRuns, Duration elapsed, CapturedOutput stdout,
            CapturedOutput stderr) {
        String process = stillRuns ? "; the local process could not be killed and still runs" : "; the local process was killed";
        return new OpenShellRunnerError(reason, reason.words + process + ". A command in the sandbox goes on, and a create may"
                + " leave a sandbox behind: delete it" + sizes(elapsed, stdout, stderr), OptionalInt.empty(), OptionalInt.empty(),
                elapsed, stdout, stderr);
    }

    /** A process that ended by itself without a usable answer. */
    static OpenShellRunnerError answered(Reason reason, String detail, OpenShellRunOutcome outcome) {
        return new OpenShellRunnerError(reason, reason.words + detail + " (exit " + outcome.exitCode() + ")"
                + sizes(outcome.elapsed(), outcome.stdout(), outcome.stderr()), OptionalInt.of(outcome.exitCode()),
                OptionalInt.empty(), outcome.elapsed(), outcome.stdout(), outcome.stderr());
    }

    /** The same run, for another reason. */
    static OpenShellRunnerError unanswered(Reason reason, String detail, OpenShellRunnerError run) {
        return new OpenShellRunnerError(reason, reason.words + detail + sizes(run.elapsed(), run.stdout(), run.stderr()),
                OptionalInt.empty(), OptionalInt.empty(), run.elapsed(), run.stdout(), run.stderr());
    }

    private static String sizes(Duration elapsed, CapturedOutput stdout, CapturedOutput stderr) {
        long millis = Math.min(elapsed.getSeconds(), Integer.MAX_VALUE) * 1_000 + elapsed.toMillisPart();
        return " (after " + millis + " ms; " + stdout.totalBytes() + " bytes on stdout, " + stderr.totalBytes()
                + " on stderr)";
    }

    /** Returns what became of the run. */
    public Kind kind() {
        return kind(reason);
    }

    /** Returns why. */
    public Reason reason() {
        return reason;
    }

    /** Returns the exit code of a process that ended by itself, such as that of {@code CALL_FAILED}; else empty. */
    public OptionalInt exitCode() {
        return exitCode == null ? OptionalInt.empty() : exitCode;
    }

    /** Returns the number that the system gave for a start that failed, such as 24 for no descriptors; else empty. */
    public OptionalInt errno() {
        return errno == null ? OptionalInt.empty() : errno;
    }

    /** Returns what was captured of standard output by then; empty, never null. */
    public CapturedOutput stdout() {
        return stdout == null ? CapturedOutput.EMPTY : stdout;
    }

    /** Returns what was captured of standard error by then; empty, never null. */
    public CapturedOutput stderr() {
        return stderr == null ? CapturedOutput.EMPTY : stderr;
    }

    /** Returns the time from when the process was started, the start not counted, to the end of the run; else zero. */
    public Duration elapsed() {
        return elapsed;
    }
}
