// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.OpenShellRunnerError.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Follows one started process to its end on the calling thread alone. No thread reads a pipe and no read ever waits: the
 * thread takes what the pipes announce and sleeps in {@link Process#waitFor(long, TimeUnit)}, which an exit ends at once.
 * So nobody who holds a pipe can hold the caller, and nothing can be left behind.
 */
final class ChildRun {

    private static final long MIN_SLICE = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MAX_SLICE = TimeUnit.MILLISECONDS.toNanos(50);
    /** A silent process is looked at less and less often: after a pause of so many slices. */
    private static final int PAUSE_TO_SLICE = 16;
    /** A look that brought so much says that the process is writing right now. */
    private static final int STREAMING = 4_096;
    /** So long is it asked again at once: to fill a pipe takes a tenth of this, to wake up from a sleep more. */
    private static final long STREAMING_PAUSE = TimeUnit.MICROSECONDS.toNanos(200);

    private final Process process;
    private final long started = System.nanoTime();
    private final long deadline;
    private final PipeCapture stdout;
    private final PipeCapture stderr;
    private final OwnPipes pipes;
    private boolean killed;

    private ChildRun(Process process, OpenShellRunOptions options) {
        this.process = process;
        this.deadline = options.deadline().toNanos();
        PipeCapture.Drain drain = new PipeCapture.Drain();
        this.stdout = new PipeCapture(process.getInputStream(), drain);
        this.stderr = new PipeCapture(process.getErrorStream(), drain);
        this.pipes = options.captureOutput() ? new OwnPipes(process.pid()) : null;
    }

    /**
     * @throws OpenShellRunnerError for the deadline and for a stream that cannot be read; the tree is then killed
     * @throws InterruptedException the tree is then killed, too
     */
    static OpenShellRunOutcome follow(Process process, OpenShellRunOptions options) throws InterruptedException {
        ChildRun run = new ChildRun(process, options);
        boolean ended = false;
        try {
            OpenShellRunOutcome outcome = options.captureOutput() ? run.capture() : run.discard();
            ended = true;
            return outcome;
        } finally {
            if (!ended && !run.killed) {
                // Something that nobody foresaw, such as no memory for what was read.
                run.kill();
            }
        }
    }

    private OpenShellRunOutcome discard() throws InterruptedException {
        if (!waitFor(deadline - elapsedNanos())) {
            throw timedOut();
        }
        return outcome();
    }

    private OpenShellRunOutcome capture() throws InterruptedException {
        InputStream out = process.getInputStream();
        InputStream err = process.getErrorStream();
        // The JDK's reaper wants these monitors to drain and close the streams. It would drain without bound behind an
        // orphan that writes on, and between its look and ours bytes would be nowhere.
        synchronized (out) {
            synchronized (err) {
                try {
                    drainUntilExit();
                    return outcome();
                } catch (IOException e) {
                    kill();
                    throw error(Reason.OUTPUT_FAILED);
                } finally {
                    close();
                }
            }
        }
    }

    private void drainUntilExit() throws IOException, InterruptedException {
        long lastBytes = 0;
        boolean streaming = false;
        while (true) {
            // Looked at before the pipes: all that a dead process wrote is in them, and nothing is waited for.
            boolean exited = !process.isAlive();
            int taken = stdout.take() + stderr.take();
            if (exited) {
                return;
            }
            long now = elapsedNanos();
            if (now >= deadline) {
                throw timedOut();
            }
            if (taken > 0) {
                lastBytes = now;
                streaming = taken >= STREAMING;
            }
            if (streaming && now - lastBytes < STREAMING_PAUSE) {
                throwIfInterrupted();
                Thread.yield();
            } else {
                long slice = Math.max(MIN_SLICE, Math.min(MAX_SLICE, (now - lastBytes) / PAUSE_TO_SLICE));
                waitFor(Math.min(slice, deadline - now));
            }
        }
    }

    private void throwIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            interrupted();
        }
    }

    /** Whether the process ended within the time; an interrupt after its end is left to the caller. */
    private boolean waitFor(long nanos) throws InterruptedException {
        try {
            return process.waitFor(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            interrupted();
            return true;
        }
    }

    private void interrupted() throws InterruptedException {
        if (process.isAlive()) {
            kill();
            throw new InterruptedException("interrupted during a run; its process tree was killed");
        }
        Thread.currentThread().interrupt();
    }

    private OpenShellRunnerError timedOut() {
        kill();
        return error(Reason.DEADLINE);
    }

    private void kill() {
        killed = true;
        new ProcessTree(process.toHandle(), pipes == null ? Set.of() : pipes.held()).kill(this::takeQuietly);
        takeQuietly();
    }

    /** What is there after a failure is taken along; a stream that fails now changes nothing. */
    private void takeQuietly() {
        if (pipes != null) {
            try {
                stdout.take();
                stderr.take();
            } catch (IOException e) {
                // The run ends with an error already.
            }
        }
    }

    private OpenShellRunOutcome outcome() {
        return new OpenShellRunOutcome(process.exitValue(), elapsed(), stdout.captured(), stderr.captured(),
                pipes != null);
    }

    private OpenShellRunnerError error(Reason reason) {
        return new OpenShellRunnerError(reason, stdout.captured(), stderr.captured(), elapsed());
    }

    private long elapsedNanos() {
        return System.nanoTime() - started;
    }

    private Duration elapsed() {
        return Duration.ofNanos(elapsedNanos());
    }

    private void close() {
        pipes.release();
        stdout.close();
        stderr.close();
    }
}
