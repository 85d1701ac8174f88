// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import com.zaxxer.nuprocess.NuAbstractProcessHandler;
import com.zaxxer.nuprocess.NuProcess;
import com.zaxxer.nuprocess.NuProcessBuilder;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.commons.exec.CommandLine;
import org.apache.commons.exec.DefaultExecutor;
import org.apache.commons.exec.PumpStreamHandler;
import org.zeroturnaround.exec.ProcessExecutor;

/** What is measured: this library and what a user would take instead, each starting a command and bounding its output. */
enum SubjectBench {

    OURS("openshell-runtime") {
        @Override
        Run run(List<String> command, boolean capture) throws Exception {
            OpenShellRunner runner = RUNNERS.computeIfAbsent(command.get(0),
                    executable -> OpenShellRunner.of(OpenShellCli.unverified(Path.of(executable), NO_ENVIRONMENT)));
            OpenShellRunOutcome outcome = runner.run(AnyArgv.of(command), capture ? CAPTURING : DISCARDING);
            return new Run(outcome.stdout().totalBytes() + outcome.stderr().totalBytes(), outcome.exitCode());
        }
    },

    /** ProcessBuilder with two reader threads: the reference of all ratios. */
    RAW2("raw2") {
        @Override
        Run run(List<String> command, boolean capture) throws Exception {
            ProcessBuilder builder = new ProcessBuilder(command).redirectInput(NOTHING);
            if (!capture) {
                builder.redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD);
                return new Run(0, builder.start().waitFor());
            }
            Process process = builder.start();
            Bounded out = new Bounded();
            Bounded err = new Bounded();
            Thread one = pump(process.getInputStream(), out);
            Thread two = pump(process.getErrorStream(), err);
            int exitCode = process.waitFor();
            one.join();
            two.join();
            return new Run(out.total + err.total, exitCode);
        }
    },

    ZT_EXEC("zt-exec") {
        @Override
        Run run(List<String> command, boolean capture) throws Exception {
            Bounded out = new Bounded();
            Bounded err = new Bounded();
            ProcessExecutor executor = new ProcessExecutor(command).timeout(5, TimeUnit.MINUTES);
            if (capture) {
                executor.redirectOutput(out).redirectError(err);
            }
            int exitCode = executor.execute().getExitValue();
            return new Run(out.total + err.total, exitCode);
        }
    },

    COMMONS_EXEC("commons-exec") {
        @Override
        Run run(List<String> command, boolean capture) throws Exception {
            Bounded out = new Bounded();
            Bounded err = new Bounded();
            CommandLine line = new CommandLine(command.get(0));
            command.stream().skip(1).forEach(argument -> line.addArgument(argument, false));
            DefaultExecutor executor = DefaultExecutor.builder()
                    .setExecuteStreamHandler(capture ? new PumpStreamHandler(out, err) : new PumpStreamHandler(null, null)).get();
            executor.setExitValues(null);
            int exitCode = executor.execute(line);
            return new Run(out.total + err.total, exitCode);
        }
    },

    NUPROCESS("nuprocess") {
        @Override
        Run run(List<String> command, boolean capture) throws Exception {
            long[] total = new long[1];
            NuProcessBuilder builder = new NuProcessBuilder(command);
            builder.setProcessListener(new NuAbstractProcessHandler() {
                private final Bounded bounded = new Bounded();

                @Override
                public void onStart(NuProcess process) {
                    process.closeStdin(true);
                }

                @Override
                public void onStdout(ByteBuffer buffer, boolean closed) {
                    take(buffer);
                }

                @Override
                public void onStderr(ByteBuffer buffer, boolean closed) {
                    take(buffer);
                }

                private synchronized void take(ByteBuffer buffer) {
                    byte[] bytes = new byte[buffer.remaining()];
                    buffer.get(bytes);
                    bounded.write(bytes, 0, bytes.length);
                    total[0] = bounded.total;
                }
            });
            int exitCode = builder.start().waitFor(5, TimeUnit.MINUTES);
            return new Run(capture ? total[0] : 0, exitCode);
        }
    };

    /** What a run reported: a ratio counts only between runs that reported the same. */
    record Run(long bytes, int exitCode) {
    }

    private static final File NOTHING = new File("/dev/null");
    private static final OpenShellEnvironment NO_ENVIRONMENT = OpenShellEnvironment.select(Map.of("PATH", "/usr/bin:/bin"));

    /** As a dispatcher does, which makes its runner and its options once. */
    private static final Map<String, OpenShellRunner> RUNNERS = new ConcurrentHashMap<>();
    private static final OpenShellRunOptions CAPTURING = OpenShellRunOptions.capturing(Duration.ofMinutes(5));
    private static final OpenShellRunOptions DISCARDING = OpenShellRunOptions.discarding(Duration.ofMinutes(5));

    private final String shown;

    SubjectBench(String shown) {
        this.shown = shown;
    }

    abstract Run run(List<String> command, boolean capture) throws Exception;

    String shown() {
        return shown;
    }

    private static Thread pump(InputStream in, Bounded to) {
        Thread thread = new Thread(() -> {
            byte[] buffer = new byte[8_192];
            try {
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    to.write(buffer, 0, n);
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        thread.start();
        return thread;
    }

    /** Keeps the first 262,144 bytes, as we do, and counts the rest. */
    private static final class Bounded extends OutputStream {

        private byte[] kept = new byte[1_024];
        private int size;
        private long total;

        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            int taken = Math.min(length, CapturedOutput.MAX_BYTES - size);
            if (size + taken > kept.length) {
                kept = Arrays.copyOf(kept, Math.min(CapturedOutput.MAX_BYTES, Math.max(2 * kept.length, size + taken)));
            }
            System.arraycopy(bytes, offset, kept, size, taken);
            size += taken;
            total += length;
        }
    }
}
