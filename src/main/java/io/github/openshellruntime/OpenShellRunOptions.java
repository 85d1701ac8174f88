// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.time.Duration;

/** Options of one run: its deadline, and whether its output is kept. Immutable and thread-safe; equal when both are. */
public final class OpenShellRunOptions {

    private static final Duration MAX_DEADLINE = Duration.ofHours(24);

    private final Duration deadline;
    private final boolean captureOutput;

    private OpenShellRunOptions(Duration deadline, boolean captureOutput) {
        if (deadline.isNegative() || deadline.isZero() || deadline.compareTo(MAX_DEADLINE) > 0) {
            throw new IllegalArgumentException("a deadline is longer than zero and at most 24 hours");
        }
        this.deadline = deadline;
        this.captureOutput = captureOutput;
    }

    /**
     * Lets the operating system discard both streams, without a buffer of ours. A failed create then leaves only its exit
     * code; capture to know why a sandbox did not start.
     *
     * @param deadline on everything from the start of the process on; longer than zero, at most 24 hours
     * @throws IllegalArgumentException for any other deadline
     */
    public static OpenShellRunOptions discarding(Duration deadline) {
        return new OpenShellRunOptions(deadline, false);
    }

    /**
     * Keeps the first 262,144 bytes of each stream and drains the rest.
     *
     * @param deadline on everything from the start of the process on; longer than zero, at most 24 hours
     * @throws IllegalArgumentException for any other deadline
     */
    public static OpenShellRunOptions capturing(Duration deadline) {
        return new OpenShellRunOptions(deadline, true);
    }

    /** Returns the deadline. */
    public Duration deadline() {
        return deadline;
    }

    /** Returns whether output is kept. */
    public boolean captureOutput() {
        return captureOutput;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OpenShellRunOptions that && captureOutput == that.captureOutput
                && deadline.equals(that.deadline);
    }

    @Override
    public int hashCode() {
        return 31 * deadline.hashCode() + Boolean.hashCode(captureOutput);
    }

    /** Returns both values. */
    @Override
    public String toString() {
        return "OpenShellRunOptions[deadline=" + deadline + ", captureOutput=" + captureOutput + "]";
    }
}
