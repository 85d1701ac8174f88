// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("ProcessTree")
@Timeout(60)
class ProcessTreeTest {

    /** As many pauses as fit in about half of the 200 ms that follow SIGTERM. */
    private static final int FEW = 10;

    private final List<Process> started = new ArrayList<>();

    private Process start(String... command) throws IOException {
        Process process = new ProcessBuilder(command).start();
        started.add(process);
        return process;
    }

    @AfterEach
    void endAll() {
        for (Process process : started) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /** A tree by the kernel's lists of children, or by what the JDK looks for where a kernel has none. */
    private static ProcessTree tree(Process root, boolean hasLists) {
        return new ProcessTree(root.toHandle(), hasLists ? ProcessFiles::children : ProcessHandle::children);
    }

    @Test
    @DisplayName("R24 what ends at SIGTERM is waited for no longer, what is deaf gets all of its 200 ms")
    void grace() throws Exception {
        AtomicInteger pauses = new AtomicInteger();
        tree(start("sleep", "60"), true).kill(pauses::incrementAndGet);
        assertThat(pauses).hasValueLessThan(FEW);

        Process deaf = start("sh", "-c", "trap '' TERM; echo deaf; sleep 60");
        assertThat(deaf.inputReader().readLine()).isEqualTo("deaf");
        long before = System.nanoTime();
        tree(deaf, true).kill(pauses::incrementAndGet);
        assertThat(System.nanoTime() - before).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(200));
        assertThat(Processes.isAlive(deaf.pid())).isFalse();
    }

    @Test
    @DisplayName("R24 a zombie that nobody collects is not waited for")
    void zombie() throws Exception {
        // The shell becomes a program that collects nobody.
        Process root = start("sh", "-c", "true & exec sleep 60");
        Await.until("the zombie", () -> root.children().anyMatch(child -> !Processes.isAlive(child.pid())));
        AtomicInteger pauses = new AtomicInteger();

        tree(root, true).kill(pauses::incrementAndGet);

        assertThat(pauses).hasValueLessThan(FEW);
        assertThat(Processes.isAlive(root.pid())).isFalse();
    }

    @ParameterizedTest(name = "R24 children and grandchildren are killed, deaf ones and those in sessions of their own too (lists: {0})")
    @ValueSource(booleans = {true, false})
    void descendants(boolean hasLists) throws Exception {
        String mark = Processes.mark(60);
        Process root = start("sh", "-c", "sh -c 'trap \"\" TERM; setsid sleep " + mark + " & setsid sleep " + mark + "' & wait");
        Await.until("both", () -> Processes.with(mark).filter(process -> !process.info().command().orElse("").endsWith("sh")).count() == 2);

        tree(root, hasLists).kill(() -> { });

        assertThat(Processes.runs(mark)).isFalse();
        assertThat(Processes.isAlive(root.pid())).isFalse();
    }

    @Test
    @DisplayName("R24 what a deaf child forks after its parent is gone is killed with it")
    void forkedLate() throws Exception {
        String mark = Processes.mark(60);
        // The child forks when it is told that its parent has got SIGTERM.
        Process root = start("sh", "-c", "sh -c 'trap \"sleep " + mark + " & wait\" USR1; trap \"\" TERM; echo ready; sleep 50 & wait' &"
                + " child=$!; trap 'kill -USR1 $child; exit' TERM; wait");
        assertThat(root.inputReader().readLine()).isEqualTo("ready");

        tree(root, true).kill(() -> { });

        assertThat(Processes.runs(mark)).isFalse();
        assertThat(Processes.isAlive(root.pid())).isFalse();
    }

    @Test
    @DisplayName("R24 unrelated processes are never signalled: a look that names one by a number that was given away")
    void lookIsNotBelieved() throws Exception {
        Process root = start("sleep", "60");
        Process neighbour = start("sleep", "60");

        new ProcessTree(root.toHandle(), process -> Stream.of(neighbour.toHandle())).kill(() -> { });

        assertThat(Processes.isAlive(root.pid())).isFalse();
        assertThat(Processes.isAlive(neighbour.pid())).isTrue();
    }

    @ParameterizedTest(name = "R24 a process that counted once goes on counting, whoever its parent is by then (lists: {0})")
    @ValueSource(booleans = {true, false})
    void countedOnce(boolean hasLists) throws Exception {
        String mark = Processes.mark(60);
        Process root = start("sh", "-c", "sh -c 'trap \"\" TERM; sleep " + mark + "' & wait");
        Await.until("the child", () -> Processes.with(mark).anyMatch(process -> process.info().command().orElse("").endsWith("sleep")));

        // The root ends at SIGTERM, its children are then children of another process.
        tree(root, hasLists).kill(() -> { });

        assertThat(Processes.runs(mark)).isFalse();
    }

    @Test
    @DisplayName("R25 signals to what is already gone are harmless")
    void deadHandlesAreHarmless() throws Exception {
        Process gone = start("true");
        gone.waitFor();

        tree(gone, true).kill(() -> { });

        assertThat(gone.exitValue()).isZero();
    }
}
