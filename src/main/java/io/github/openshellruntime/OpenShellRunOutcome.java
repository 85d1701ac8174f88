// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.time.Duration;
import java.util.Objects;

/**
 * How a run of the CLI ended by itself: its exit code and what it printed. A non-zero exit is an outcome, not an error.
 * Immutable and thread-safe; equal when everything in it is.
 *
 * <h2>What an exit code says</h2>
 *
 * It is the CLI's. For exec, the CLI passes on the code of the command in the sandbox; nothing tells the two apart. This
 * table was seen on real sandboxes of OpenShell 0.0.111 and 0.0.112-dev.
 *
 * <table>
 * <caption>Exit codes</caption>
 * <thead><tr><th scope="col">code<th scope="col">of exec<th scope="col">of the other verbs</tr></thead>
 * <tbody>
 * <tr><th scope="row">0<td>the CLI says that the command ended with 0<td>done; a created realm need not run yet (ask with
 *   get), and a delete may only be accepted. Delete of an absent realm is 0 on one build and 1 on another, and 0 for a
 *   workspace that does not exist</tr>
 * <tr><th scope="row">1<td>the command's own 1; a command that a signal ended, without a word; the CLI's: no gateway, no such
 *   sandbox, one that is not ready, a lost connection after which the command may go on. Under load also about one in two
 *   hundred commands that succeeded, with all of their output: a fault of OpenShell's<td>any failure; a failed create may
 *   leave a sandbox under the name. {@link RealmState} tells an absent realm from every other failure of get</tr>
 * <tr><th scope="row">2<td>the command's own, or a usage error of the CLI<td>a usage error: this CLI does not know the form
 *   that this library uses</tr>
 * <tr><th scope="row">124<td>the command's own, often of {@code timeout}; this library sets no timeout of the gateway, and
 *   its own deadline is never an exit code<td>does not occur</tr>
 * <tr><th scope="row">126, 127<td>not executable, not found in the sandbox<td>does not occur</tr>
 * <tr><th scope="row">128 + n<td>a shell in the sandbox reports that signal n ended its command, such as 137 after SIGKILL;
 *   or the CLI itself was killed by signal n<td>the CLI was killed by signal n</tr>
 * </tbody>
 * </table>
 */
public final class OpenShellRunOutcome {

    private static final int MAX_EXIT_CODE = 255;

    private final int exitCode;
    private final Duration elapsed;
    private final CapturedOutput stdout;
    private final CapturedOutput stderr;
    private final boolean captured;

    OpenShellRunOutcome(int exitCode, Duration elapsed, CapturedOutput stdout, CapturedOutput stderr, boolean captured) {
        if (exitCode < 0 || exitCode > MAX_EXIT_CODE || elapsed.isNegative()) {
            throw new IllegalArgumentException("an exit code is 0 to 255, and a run takes no negative time");
        }
        this.exitCode = exitCode;
        this.elapsed = elapsed;
        this.stdout = Objects.requireNonNull(stdout);
        this.stderr = Objects.requireNonNull(stderr);
        this.captured = captured;
    }

    /**
     * Makes the outcome of a capturing run, for the tests of a dispatcher.
     *
     * @param exitCode 0 to 255
     * @throws IllegalArgumentException for another exit code, or a negative time
     */
    public static OpenShellRunOutcome captured(int exitCode, Duration elapsed, CapturedOutput stdout, CapturedOutput stderr) {
        return new OpenShellRunOutcome(exitCode, elapsed, stdout, stderr, true);
    }

    /**
     * Makes the outcome of a discarding run, for the tests of a dispatcher.
     *
     * @param exitCode 0 to 255
     * @throws IllegalArgumentException for another exit code, or a negative time
     */
    public static OpenShellRunOutcome discarded(int exitCode, Duration elapsed) {
        return new OpenShellRunOutcome(exitCode, elapsed, CapturedOutput.EMPTY, CapturedOutput.EMPTY, false);
    }

    /** Returns the exit code, 0 to 255; 128 + n after signal n. */
    public int exitCode() {
        return exitCode;
    }

    /** Returns the time from when the process was started, the start not counted, to the end of the run. */
    public Duration elapsed() {
        return elapsed;
    }

    /** Returns what was kept of standard output; empty and not truncated for a discarding run. */
    public CapturedOutput stdout() {
        return stdout;
    }

    /** Returns what was kept of standard error; empty and not truncated for a discarding run. */
    public CapturedOutput stderr() {
        return stderr;
    }

    /** Returns whether bytes of either stream were seen that were not kept. */
    public boolean truncated() {
        return stdout.truncated() || stderr.truncated();
    }

    /** Returns whether the run was a capturing one. Without that an empty output says nothing. */
    public boolean captured() {
        return captured;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OpenShellRunOutcome that && exitCode == that.exitCode && captured == that.captured
                && elapsed.equals(that.elapsed) && stdout.equals(that.stdout) && stderr.equals(that.stderr);
    }

    @Override
    public int hashCode() {
        return Objects.hash(exitCode, elapsed, stdout, stderr);
    }

    /** Returns exit code, time and sizes; no output. */
    @Override
    public String toString() {
        return "OpenShellRunOutcome[exitCode=" + exitCode + ", elapsed=" + elapsed + ", stdout=" + stdout + ", stderr="
                + stderr + "]";
    }
}
