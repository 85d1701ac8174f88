// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;

/** A real process, {@code sleep 60} unless a test says otherwise, with streams that a test makes up. */
class StubbedProcess extends Process {

    private final Process process;
    private final InputStream out;
    private final InputStream err;

    /** Streams that are {@code null} are the process's own. */
    StubbedProcess(InputStream out, InputStream err) throws IOException {
        this(out, err, "sleep", "60");
    }

    StubbedProcess(InputStream out, InputStream err, String... command) throws IOException {
        this.process = new ProcessBuilder(command).start();
        this.out = out;
        this.err = err;
    }

    /** Ends the process and returns when it has ended. By its handle: the other way closes the streams, too. */
    void end() {
        process.toHandle().destroyForcibly();
        process.onExit().join();
    }

    @Override
    public OutputStream getOutputStream() {
        return process.getOutputStream();
    }

    @Override
    public InputStream getInputStream() {
        return out == null ? process.getInputStream() : out;
    }

    @Override
    public InputStream getErrorStream() {
        return err == null ? process.getErrorStream() : err;
    }

    @Override
    public int waitFor() throws InterruptedException {
        return process.waitFor();
    }

    @Override
    public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
        return process.waitFor(timeout, unit);
    }

    @Override
    public int exitValue() {
        return process.exitValue();
    }

    @Override
    public void destroy() {
        process.destroy();
    }

    @Override
    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    public ProcessHandle toHandle() {
        return process.toHandle();
    }
}
