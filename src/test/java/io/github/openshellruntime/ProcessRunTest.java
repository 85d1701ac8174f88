// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.openshellruntime.OpenShellRunnerError.Kind;
import io.github.openshellruntime.OpenShellRunnerError.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What no script can do on purpose: streams that fail or never end, an interrupt in the moment of an exit. */
@DisplayName("ProcessRun")
@Timeout(60)
class ProcessRunTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    private static OpenShellRunOptions options(boolean capturing, Duration deadline) {
        return capturing ? OpenShellRunOptions.capturing(deadline) : OpenShellRunOptions.discarding(deadline);
    }

    /** A stream that announces what a test says and gives as much as is asked for. */
    private static InputStream announcing(IntSupplier available) {
        return new InputStream() {
            @Override
            public int available() {
                return available.getAsInt();
            }

            @Override
            public int read() {
                return 'x';
            }

            @Override
            public int read(byte[] bytes, int offset, int length) {
                return length;
            }
        };
    }

    /** Gives some bytes and then fails in one of its methods. */
    private static InputStream failingStream(boolean inAvailable) {
        return new InputStream() {
            private int left = 3;

            @Override
            public int available() throws IOException {
                if (left == 0 && inAvailable) {
                    throw new IOException("secret of the stream");
                }
                return left == 0 ? 1 : left;
            }

            @Override
            public int read() throws IOException {
                if (left == 0) {
                    throw new IOException("secret of the stream");
                }
                left--;
                return 'x';
            }
        };
    }

    @ParameterizedTest(name = "R42 a stream that cannot be read: OUTPUT_FAILED, with what was read, and the process is gone ({0})")
    @ValueSource(booleans = {true, false})
    void failingStreams(boolean inAvailable) throws Exception {
        for (boolean isStdout : new boolean[] {true, false}) {
            InputStream bad = failingStream(inAvailable);
            Process process = new StubbedProcess(isStdout ? bad : null, isStdout ? null : bad);

            assertThatThrownBy(() -> ProcessRun.follow(process, OpenShellRunOptions.capturing(LONG)))
                    .isInstanceOfSatisfying(OpenShellRunnerError.class, e -> {
                        assertThat(e.kind()).isEqualTo(Kind.FAILED);
                        assertThat(e.reason()).isEqualTo(Reason.OUTPUT_FAILED);
                        assertThat((isStdout ? e.stdout() : e.stderr()).text()).isEqualTo("xxx");
                        assertThat(e.elapsed()).isLessThan(Duration.ofSeconds(5));
                    })
                    .hasMessageNotContaining("secret").hasNoCause();
            assertThat(Processes.isAlive(process.pid())).isFalse();
        }
    }

    @ParameterizedTest(name = "R42 something that nobody foresaw, such as no memory, leaves no process behind (capturing: {0})")
    @ValueSource(booleans = {true, false})
    void unforeseen(boolean capturing) throws Exception {
        Process process = new StubbedProcess(null, null) {
            @Override
            public boolean waitFor(long timeout, TimeUnit unit) {
                throw new OutOfMemoryError("as if");
            }
        };

        assertThatThrownBy(() -> ProcessRun.follow(process, options(capturing, LONG))).isInstanceOf(OutOfMemoryError.class);
        assertThat(Processes.isAlive(process.pid())).isFalse();
    }

    @Test
    @DisplayName("R06 an exit that came before the deadline is an outcome, though this JVM hears of it later")
    void exitIsHeardOfLate() throws Exception {
        Duration deadline = Duration.ofMillis(100);
        for (boolean capturing : new boolean[] {true, false}) {
            boolean[] reported = new boolean[1];
            Process process = new StubbedProcess(null, null) {
                @Override
                public boolean isAlive() {
                    return !reported[0];
                }

                @Override
                public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
                    if (super.isAlive()) {
                        end();
                        // As if the JVM had been stopped.
                        TimeUnit.NANOSECONDS.sleep(deadline.toNanos());
                        return false;
                    }
                    reported[0] = true;
                    return true;
                }
            };

            OpenShellRunOutcome outcome = ProcessRun.follow(process, options(capturing, deadline));

            assertThat(outcome.exitCode()).isEqualTo(137);
            assertThat(outcome.elapsed()).isGreaterThan(deadline);
        }
    }

    @ParameterizedTest(name = "R24 a kill that fails half way is tried again: {0}")
    @ValueSource(strings = {"RuntimeException", "OutOfMemoryError"})
    void killFailsHalfWay(String kind) throws Exception {
        boolean[] failed = new boolean[1];
        Process process = new StubbedProcess(announcing(() -> {
            if (isKilling() && !failed[0]) {
                failed[0] = true;
                if (kind.equals("OutOfMemoryError")) {
                    throw new OutOfMemoryError("as if");
                }
                throw new IllegalStateException("as if");
            }
            return 0;
        }), null, "sh", "-c", "trap '' TERM; while :; do sleep 60; done");

        assertThatThrownBy(() -> ProcessRun.follow(process, OpenShellRunOptions.capturing(Duration.ofMillis(300))))
                .isInstanceOfSatisfying(OpenShellRunnerError.class, e -> assertThat(e.reason()).isEqualTo(Reason.DEADLINE))
                .hasMessageContaining("was killed");
        assertThat(failed[0]).isTrue();
        assertThat(Processes.isAlive(process.pid())).isFalse();
    }

    private static boolean isKilling() {
        return StackWalker.getInstance().walk(frames -> frames.anyMatch(frame -> frame.getClassName().endsWith("ProcessTree")));
    }

    @Test
    @DisplayName("R24, R26 where the process still runs after the kill, the error and the interrupt say so")
    void killFails() throws Exception {
        for (boolean capturing : new boolean[] {true, false}) {
            assertThatThrownBy(() -> ProcessRun.follow(immortal(), options(capturing, Duration.ofMillis(50))))
                    .isInstanceOf(OpenShellRunnerError.class)
                    .hasMessageContaining("still runs").hasMessageNotContaining("was killed");
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> ProcessRun.follow(immortal(), options(capturing, LONG)))
                    .isInstanceOf(InterruptedException.class)
                    .hasMessageContaining("still runs").hasMessageNotContaining("was killed");
        }
    }

    /** A process that is never reported dead. */
    private static Process immortal() throws IOException {
        return new StubbedProcess(null, null) {
            @Override
            public boolean isAlive() {
                return true;
            }

            @Override
            public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                TimeUnit.NANOSECONDS.sleep(Math.min(unit.toNanos(timeout), TimeUnit.MILLISECONDS.toNanos(50)));
                return false;
            }
        };
    }

    @Test
    @DisplayName("R06 a stream that never stops is left at the deadline, with the first bytes kept")
    void endlessStream_isLeftAtTheDeadline() throws Exception {
        Process process = new StubbedProcess(announcing(() -> 65_536), null);

        assertThatThrownBy(() -> ProcessRun.follow(process, OpenShellRunOptions.capturing(Duration.ofMillis(100))))
                .isInstanceOfSatisfying(OpenShellRunnerError.class, e -> {
                    assertThat(e.reason()).isEqualTo(Reason.DEADLINE);
                    assertThat(e.stdout().bytes()).hasSize(262_144);
                    assertThat(e.stdout().truncated()).isTrue();
                });
        assertThat(Processes.isAlive(process.pid())).isFalse();
    }

    @ParameterizedTest(name = "R26 an interrupt is seen whatever flows: {0} bytes at each look")
    @ValueSource(ints = {0, 1, 65_536})
    void interrupt_isSeen(int bytes) throws Exception {
        Process process = new StubbedProcess(announcing(() -> bytes), null);
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> ProcessRun.follow(process, OpenShellRunOptions.capturing(LONG)))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(Processes.isAlive(process.pid())).isFalse();
    }

    @Test
    @DisplayName("R26 a second interrupt, during the kill of the first, is answered with the same exception")
    void secondInterrupt() throws Exception {
        Thread caller = Thread.currentThread();
        Process process = new StubbedProcess(announcing(() -> {
            if (isKilling()) {
                caller.interrupt();
            }
            return 0;
        }), null, "sh", "-c", "trap '' TERM; while :; do sleep 60; done");
        caller.interrupt();

        assertThatThrownBy(() -> ProcessRun.follow(process, OpenShellRunOptions.capturing(LONG)))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @ParameterizedTest(name = "R26 an interrupt that comes with the exit leaves the outcome and stays set (capturing: {0})")
    @ValueSource(booleans = {true, false})
    void interruptWithTheExit(boolean capturing) throws Exception {
        Process process = new StubbedProcess(null, null) {
            @Override
            public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
                end();
                throw new InterruptedException();
            }
        };

        OpenShellRunOutcome outcome = ProcessRun.follow(process, options(capturing, LONG));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(outcome.exitCode()).isEqualTo(137);
    }

    @ParameterizedTest(name = "while one stream flows the silent one is looked at once in 64 looks (stdout flows: {0})")
    @ValueSource(booleans = {true, false})
    void silentStream_isSpared(boolean stdoutFlows) throws Exception {
        int looks = 6_400;
        assertThat(looksAtTheSilentStream(stdoutFlows, 4_096, looks)).isBetween(looks / 64, looks / 64 + 1);
    }

    @Test
    @DisplayName("beside a stream that trickles the silent one is looked at as often")
    void silentStream_besideATrickle() throws Exception {
        assertThat(looksAtTheSilentStream(true, 4_095, 50)).isEqualTo(50);
    }

    /** How often the silent stream is looked at until the other one, which announces so many bytes each time, is at its end. */
    private static int looksAtTheSilentStream(boolean stdoutFlows, int bytes, int looks) throws Exception {
        int[] seen = new int[2];
        StubbedProcess[] process = new StubbedProcess[1];
        InputStream flowing = announcing(() -> {
            if (++seen[0] == looks) {
                process[0].end();
            }
            return seen[0] <= looks ? bytes : 0;
        });
        InputStream silent = announcing(() -> {
            seen[1] += seen[0] <= looks ? 1 : 0;
            return 0;
        });
        process[0] = stdoutFlows ? new StubbedProcess(flowing, silent) : new StubbedProcess(silent, flowing);
        OpenShellRunOutcome outcome = ProcessRun.follow(process[0], OpenShellRunOptions.capturing(LONG));

        assertThat((stdoutFlows ? outcome.stdout() : outcome.stderr()).totalBytes()).isEqualTo((long) bytes * looks);
        return seen[1];
    }

    @Test
    @DisplayName("a silent process is looked at less and less often, at most every 300 ms; one that has just written after a millisecond")
    void pace() throws Exception {
        List<Long> waits = new ArrayList<>();
        int spoke = 40;
        boolean[] spoken = new boolean[1];
        Process process = new StubbedProcess(announcing(() -> {
            boolean speaks = waits.size() == spoke && !spoken[0];
            spoken[0] |= speaks;
            return speaks ? 1 : 0;
        }), null) {
            @Override
            public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
                waits.add(unit.toNanos(timeout));
                if (waits.size() == 2 * spoke) {
                    end();
                }
                return super.waitFor(timeout, unit);
            }
        };

        assertThat(ProcessRun.follow(process, OpenShellRunOptions.capturing(LONG)).stdout().totalBytes()).isEqualTo(1);

        long millisecond = TimeUnit.MILLISECONDS.toNanos(1);
        assertThat(waits).hasSize(2 * spoke).allSatisfy(wait -> assertThat(wait).isBetween(millisecond, 300 * millisecond));
        assertThat(waits.get(0)).isLessThan(300 * millisecond);
        assertThat(waits.get(spoke - 1)).isGreaterThan(millisecond);
        assertThat(waits.get(spoke)).isEqualTo(millisecond);
    }
}
