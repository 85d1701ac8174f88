// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.OpenShellRunnerError.Reason;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Follows one started process to its end. No read ever waits: the thread takes what the pipes announce and sleeps in
 * {@link Process#waitFor(long, TimeUnit)}, which an exit ends at once. So nobody who holds a pipe can hold the caller.
 */
final class ProcessRun {

    private static final long MIN_SLICE = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MAX_SLICE = TimeUnit.MILLISECONDS.toNanos(300);
    /** A silent process is looked at less and less often: after a pause of so many slices. */
    private static final int PAUSE_TO_SLICE = 8;
    /** A stream with a look of this size is busy: it gets so many looks before the other one. */
    private static final int STREAMING = 4_096;
    private static final int ALONE = 63;
    /** After bytes came, asks on without a sleep for so long: a writer fills a pipe in a tenth of this, a sleep takes longer. */
    private static final long STREAMING_PAUSE = TimeUnit.MICROSECONDS.toNanos(200);
    /** The JDK hears of an exit a moment after it, and this JVM may have been stopped when its deadline passed. */
    private static final long REPORT = TimeUnit.MILLISECONDS.toNanos(20);

    private final Process process;
    private final ProcessTree tree;
    private final long started = System.nanoTime();
    private final OpenShellRunOptions options;
    private final ProcessPipe stdout;
    private final ProcessPipe stderr;
    private boolean killed;

    private ProcessRun(Process process, OpenShellRunOptions options) {
        this.process = process;
        this.tree = new ProcessTree(process.toHandle(), ProcessFiles::children);
        this.options = options;
        this.stdout = options.captureOutput() ? new ProcessPipe(process.getInputStream()) : ProcessPipe.NONE;
        this.stderr = options.captureOutput() ? new ProcessPipe(process.getErrorStream()) : ProcessPipe.NONE;
    }

    /** Gives the outcome, or kills the tree before it throws anything. */
    static OpenShellRunOutcome follow(Process process, OpenShellRunOptions options) throws InterruptedException {
        ProcessRun run = new ProcessRun(process, options);
        if (!options.captureOutput()) {
            // All discarding runs have the same two empty streams of the JDK.
            return run.toItsEnd();
        }
        // The JDK's reaper wants these monitors to drain and close the streams. It would drain without bound behind an
        // orphan that writes on, and bytes would be lost between its look and ours.
        synchronized (process.getInputStream()) {
            synchronized (process.getErrorStream()) {
                return run.toItsEnd();
            }
        }
    }

    private OpenShellRunOutcome toItsEnd() throws InterruptedException {
        try {
            drainUntilExit();
            CapturedOutput out = stdout.captured();
            CapturedOutput err = stderr.captured();
            return new OpenShellRunOutcome(process.exitValue(), elapsed(), out, err, options.captureOutput());
        } catch (IOException e) {
            kill();
            throw error(Reason.OUTPUT_FAILED);
        } finally {
            // After the unforeseen, such as no memory for what was read.
            if (!killed && process.isAlive()) {
                kill();
            }
            closeStreams();
        }
    }

    private void drainUntilExit() throws IOException, InterruptedException {
        long deadline = options.deadline().toNanos();
        long lastBytes = 0;
        boolean streaming = false;
        while (true) {
            // Looked at before the pipes: all that a dead process wrote is in them, and nothing is waited for.
            boolean exited = !process.isAlive();
            int taken = take(exited);
            if (exited) {
                return;
            }
            long now = System.nanoTime() - started;
            if (taken > 0) {
                lastBytes = now;
                streaming = taken >= STREAMING;
            }
            if (now >= deadline) {
                if (!exitsWithin(REPORT)) {
                    kill();
                    throw error(Reason.DEADLINE);
                }
            } else if (streaming && now - lastBytes < STREAMING_PAUSE) {
                if (Thread.interrupted()) {
                    interrupted();
                }
                Thread.yield();
            } else {
                exitsWithin(Math.min(slice(now - lastBytes), deadline - now));
            }
        }
    }

    private long slice(long silence) {
        return options.captureOutput() ? Math.max(MIN_SLICE, Math.min(MAX_SLICE, silence / PAUSE_TO_SLICE)) : Long.MAX_VALUE;
    }

    /** While one stream flows, skips most looks at the silent one: they cost two system calls each. */
    private int take(boolean once) throws IOException {
        int out = stdout.take();
        int err = stderr.take();
        ProcessPipe flowing = err == 0 ? stdout : stderr;
        int taken = out == 0 || err == 0 ? out + err : 0;
        for (int i = 0; !once && i < ALONE && taken >= STREAMING; i++) {
            taken = flowing.take();
        }
        return out + err;
    }

    private boolean exitsWithin(long nanos) throws InterruptedException {
        try {
            return process.waitFor(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            interrupted();
            return true;
        }
    }

    /** An interrupt after the exit is left to the caller. */
    private void interrupted() throws InterruptedException {
        if (process.isAlive()) {
            kill();
            // One more that came during the kill is answered with this exception, too.
            Thread.interrupted();
            throw new InterruptedException("interrupted during a run; its process "
                    + (process.isAlive() ? "could not be killed and still runs" : "was killed"));
        }
        Thread.currentThread().interrupt();
    }

    /**
     * Kills the tree with open pipes, so a process can write its last output. Without descriptors the JDK can neither look
     * nor signal: after any failure the pipes are closed and it is tried again.
     */
    private void kill() {
        killed = true;
        boolean done = false;
        try {
            tree.kill(this::takeQuietly);
            takeQuietly();
            done = isReportedDead();
        } catch (Throwable e) {
            process.toHandle().destroyForcibly();
        }
        if (!done) {
            closeStreams();
            tree.kill(() -> { });
            isReportedDead();
        }
    }

    private boolean isReportedDead() {
        ProcessTree.await(() -> !process.isAlive(), REPORT, () -> { });
        return !process.isAlive();
    }

    /** What is there after a failure is taken along; a stream that fails now changes nothing. */
    private void takeQuietly() {
        try {
            take(true);
        } catch (IOException e) {
            // The run ends with an error already.
        }
    }

    private OpenShellRunnerError error(Reason reason) {
        CapturedOutput out = stdout.captured();
        CapturedOutput err = stderr.captured();
        return OpenShellRunnerError.ended(reason, process.isAlive(), elapsed(), out, err);
    }

    private Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - started);
    }

    private void closeStreams() {
        stdout.close();
        stderr.close();
    }
}
