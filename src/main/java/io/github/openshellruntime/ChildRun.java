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
    /** So often is a stream that is written right now looked at before the other one, two milliseconds at most. */
    private static final int ALONE = 63;
    /** So long is it asked again at once: to fill a pipe takes a tenth of this, to wake up from a sleep more. */
    private static final long STREAMING_PAUSE = TimeUnit.MICROSECONDS.toNanos(200);

    private final Process process;
    private final long started = System.nanoTime();
    private final long deadline;
    /** Like {@code stderr} {@code null} in a discarding run. */
    private final PipeCapture stdout;
    private final PipeCapture stderr;
    private boolean killed;

    private ChildRun(Process process, OpenShellRunOptions options) {
        this.process = process;
        this.deadline = options.deadline().toNanos();
        if (options.captureOutput()) {
            PipeCapture.Drain drain = new PipeCapture.Drain();
            this.stdout = new PipeCapture(process.getInputStream(), drain);
            this.stderr = new PipeCapture(process.getErrorStream(), drain);
        } else {
            this.stdout = null;
            this.stderr = null;
        }
    }

    /**
     * @throws OpenShellRunnerError for the deadline and for a stream that cannot be read; the tree is then killed
     * @throws InterruptedException the tree is then killed, too
     */
    static OpenShellRunOutcome follow(Process process, OpenShellRunOptions options) throws InterruptedException {
        ChildRun run = new ChildRun(process, options);
        return options.captureOutput() ? run.capture() : run.discard();
    }

    private OpenShellRunOutcome discard() throws InterruptedException {
        try {
            if (!waitFor(deadline - elapsedNanos())) {
                throw timedOut();
            }
            return outcome();
        } finally {
            leaveNothing();
        }
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
                    leaveNothing();
                    OwnPipes.close(this::closeStreams);
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
            int out = stdout.take();
            int err = stderr.take();
            if (exited) {
                return;
            }
            if (err == 0) {
                takeAlone(stdout, out);
            } else if (out == 0) {
                takeAlone(stderr, err);
            }
            int taken = out + err;
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

    /** Where one stream flows and the other is silent, most looks at the silent one are saved: two system calls each. */
    private static void takeAlone(PipeCapture stream, int taken) throws IOException {
        for (int i = 0; i < ALONE && taken >= STREAMING; i++) {
            taken = stream.take();
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

    /** Ends the tree after what nobody foresaw, such as no memory for what was read. */
    private void leaveNothing() {
        if (!killed && process.isAlive()) {
            kill();
        }
    }

    private void kill() {
        killed = true;
        ProcessTree tree = new ProcessTree(process.toHandle());
        if (!captures()) {
            tree.kill(() -> { });
            return;
        }
        Set<String> atOutput = OwnPipes.atOutput(process.pid());
        // With open pipes, so that a process can say its last words and die of nothing else than the signal.
        tree.kill(this::takeQuietly);
        takeQuietly();
        tree.killHolders(OwnPipes.closeAndName(this::closeStreams, atOutput));
    }

    /** What is there after a failure is taken along; a stream that fails now changes nothing. */
    private void takeQuietly() {
        try {
            stdout.take();
            stderr.take();
        } catch (IOException e) {
            // The run ends with an error already.
        }
    }

    private boolean captures() {
        return stdout != null;
    }

    private OpenShellRunOutcome outcome() {
        return new OpenShellRunOutcome(process.exitValue(), elapsed(), captured(stdout), captured(stderr), captures());
    }

    private OpenShellRunnerError error(Reason reason) {
        return new OpenShellRunnerError(reason, captured(stdout), captured(stderr), elapsed());
    }

    private static CapturedOutput captured(PipeCapture stream) {
        return stream == null ? CapturedOutput.EMPTY : stream.captured();
    }

    private long elapsedNanos() {
        return System.nanoTime() - started;
    }

    private Duration elapsed() {
        return Duration.ofNanos(elapsedNanos());
    }

    private void closeStreams() {
        stdout.close();
        stderr.close();
    }
}
