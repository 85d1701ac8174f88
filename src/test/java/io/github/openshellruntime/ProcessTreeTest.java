// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("ProcessTree")
@Timeout(60)
class ProcessTreeTest {

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

    private static String pipe(long pid, int descriptor) {
        String pipe = OwnPipes.link(Path.of("/proc/" + pid + "/fd/" + descriptor));
        assertThat(pipe).startsWith("pipe:[");
        return pipe;
    }

    /** Kills a root, and then whoever holds these pipes. */
    private static void kill(Process root, String... pipes) {
        ProcessTree tree = new ProcessTree(root.toHandle());
        tree.kill(() -> { });
        tree.killHolders(Set.of(pipes));
    }

    @Test
    @DisplayName("R24 what ends at SIGTERM is waited for no longer, what is deaf gets all of its 200 ms")
    void grace() throws Exception {
        AtomicInteger pauses = new AtomicInteger();
        new ProcessTree(start("sleep", "60").toHandle()).kill(pauses::incrementAndGet);
        // A pause is two milliseconds, at least.
        assertThat(pauses).hasValueLessThan(50);

        Process deaf = start("sh", "-c", "trap '' TERM; echo deaf; sleep 60");
        assertThat(deaf.inputReader().readLine()).isEqualTo("deaf");
        long before = System.nanoTime();
        new ProcessTree(deaf.toHandle()).kill(pauses::incrementAndGet);
        assertThat(System.nanoTime() - before).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(200));
        assertThat(Processes.isAlive(deaf.pid())).isFalse();
    }

    @Test
    @DisplayName("R24 who holds a pipe is killed with all that descends from it, whether that holds a pipe or not")
    void holders_withTheirs() throws Exception {
        Process root = start("sleep", "60");
        String mark = Processes.mark(60);
        Process holder = start("sh", "-c", "(sh -c 'sleep " + mark + " & wait' >/dev/null 2>&1) & wait");
        Await.until("the last of them", () -> Processes.runs(mark));

        kill(root, pipe(holder.pid(), 1));

        assertThat(Processes.isAlive(root.pid())).isFalse();
        assertThat(Processes.isAlive(holder.pid())).isFalse();
        assertThat(Processes.runs(mark)).isFalse();
    }

    @Test
    @DisplayName("R24 the tree and the holders that are near are found, however little time a walk gets")
    void walk_withoutTime() throws Exception {
        String child = Processes.mark(60);
        Process root = start("sh", "-c", "sleep " + child + " & wait");
        String writer = Processes.mark(60);
        Process holder = start("sh", "-c", "exec 3>&1 >/dev/null 2>&1; sleep " + writer + " & wait");
        Await.until("all of them", () -> Processes.runs(child) && Processes.runs(writer));
        String pipe = pipe(holder.pid(), 3);

        ProcessTree tree = new ProcessTree(root.toHandle(), Duration.ZERO);
        tree.kill(() -> { });
        assertThat(Processes.runs(child)).isFalse();
        tree.killHolders(Set.of(pipe));
        assertThat(Processes.runs(writer)).isFalse();
    }

    @Test
    @DisplayName("who reads from a pipe, and whoever holds none, is not killed with who writes to it")
    void holders_areWriters() throws Exception {
        Process root = start("sleep", "60");
        List<String> marks = List.of(Processes.mark(60), Processes.mark(60), Processes.mark(60));
        Process pipeline = start("sh", "-c", "sleep " + String.join(" | sleep ", marks));
        Await.until("the pipeline", () -> marks.stream().allMatch(Processes::runs));

        kill(root, pipe(Processes.with(marks.get(0)).findFirst().orElseThrow().pid(), 1));

        assertThat(marks).filteredOn(Processes::runs).containsExactlyElementsOf(marks.subList(1, 3));
        assertThat(Processes.isAlive(pipeline.pid())).isTrue();
    }

    @Test
    @DisplayName("a process that this JVM is starting has its pipes for a moment, and is not killed for it")
    void holders_areNotBeingStarted() throws Exception {
        Process root = start("sleep", "60");
        Process neighbour = start("sh", "-c", "exec 3>&1 >/dev/null 2>&1; exec sleep 60");
        Await.until("the descriptor that is neither output", () -> OwnPipes.atOutput(neighbour.pid()).equals(Set.of("/dev/null")));

        kill(root, pipe(neighbour.pid(), 3));

        assertThat(Processes.isAlive(root.pid())).isFalse();
        assertThat(Processes.isAlive(neighbour.pid())).isTrue();
    }

    @Test
    @DisplayName("this JVM does not kill itself, though it may have started after the root and hold the pipe")
    void holders_areNotThisJvm() throws Exception {
        Set<String> before = pipes();
        Pipe own = Pipe.open();
        try {
            Set<String> opened = pipes();
            opened.removeAll(before);
            assertThat(opened).hasSize(1);

            // Beside a root that is gone everybody is young enough.
            Process root = start("true");
            root.waitFor();
            kill(root, opened.iterator().next());
        } finally {
            own.sink().close();
            own.source().close();
        }
    }

    @Test
    @DisplayName("a neighbour that is older than the root is not killed, even for a pipe that was taken for the root's")
    void olderNeighbour() throws Exception {
        String mark = Processes.mark(60);
        Process neighbour = start("sh", "-c", "sleep " + mark + " 3>&1 >/dev/null 2>&1 & wait");
        Await.until("the one that holds it elsewhere", () -> Processes.runs(mark));
        // A tick of the kernel's clock apart.
        TimeUnit.MILLISECONDS.sleep(30);
        Process root = start("sleep", "60");

        kill(root, pipe(neighbour.pid(), 1));

        assertThat(Processes.isAlive(root.pid())).isFalse();
        assertThat(Processes.isAlive(neighbour.pid())).isTrue();
        assertThat(Processes.runs(mark)).isTrue();
    }

    @Test
    @DisplayName("a walk over the processes begins with those that were started after the root, whose numbers may begin again")
    void walkBeginsAtTheRoot() {
        assertThat(ProcessTree.fromRoot(new long[] {7, 1, 9, 3, 5}, 5)).containsExactly(5, 7, 9, 1, 3);
        assertThat(ProcessTree.fromRoot(new long[] {7, 1, 9, 3}, 5)).containsExactly(7, 9, 1, 3);
        assertThat(ProcessTree.fromRoot(new long[] {3, 1}, 5)).containsExactly(1, 3);
        assertThat(ProcessTree.fromRoot(new long[] {9, 7}, 5)).containsExactly(7, 9);
    }

    @Test
    @DisplayName("a walk ends when its time is over, and not before 64 processes")
    void walkEnds() {
        long now = System.nanoTime();
        long aMinute = TimeUnit.MINUTES.toNanos(1);

        assertThat(ProcessTree.isOver(63, now - aMinute)).isFalse();
        assertThat(ProcessTree.isOver(64, now - aMinute)).isTrue();
        assertThat(ProcessTree.isOver(64, now + aMinute)).isFalse();
    }

    @Test
    @DisplayName("R25 signals to what is already gone are harmless")
    void deadHandlesAreHarmless() throws Exception {
        Process gone = start("true");
        gone.waitFor();

        new ProcessTree(gone.toHandle()).kill(() -> { });

        assertThat(gone.exitValue()).isZero();
    }

    /** The pipes of this JVM. */
    private static Set<String> pipes() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.map(OwnPipes::link).filter(name -> name.startsWith("pipe:["))
                    .collect(Collectors.toCollection(HashSet::new));
        }
    }
}
