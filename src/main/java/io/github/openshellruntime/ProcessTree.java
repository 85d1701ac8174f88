// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A process, what descends from it, and then who holds its pipes; to be killed. Always by {@link ProcessHandle}, which knows a
 * process by its start time too, so a number that the system has given to somebody else is never hit.
 *
 * <p>What cannot be found: a process that left the tree by a double fork and closed the pipes (or had none of ours), the
 * last children of a fork storm, and what a walk does not come to in its time.
 */
final class ProcessTree {

    private static final Duration GRACE = Duration.ofMillis(200);
    private static final Duration PAUSE = Duration.ofMillis(2);
    private static final Duration ROUND = Duration.ofMillis(30);
    private static final Duration WALK = Duration.ofMillis(100);
    /**
     * So many processes a walk looks at whatever the time: where this JVM is stopped for a while nobody escapes by it. With
     * 256 a run among hundreds of younger processes, on two cores, was later than a second once.
     */
    private static final int WALK_AT_LEAST = 64;
    private static final int ROUNDS = 4;
    /** Nothing is waited for after so long, so that a kill stays below a second whatever it meets. */
    private static final Duration LIMIT = Duration.ofMillis(700);
    private static final Path PROC = Path.of("/proc");

    private final ProcessHandle root;
    private final Duration walk;
    private final long end = System.nanoTime() + LIMIT.toNanos();
    private final Map<Long, ProcessHandle> known = new LinkedHashMap<>();
    private final long self = ProcessHandle.current().pid();
    private final Stat rootStat;
    private Set<String> pipes = Set.of();

    ProcessTree(ProcessHandle root) {
        this(root, WALK);
    }

    /** @param walk the time of a walk over the processes */
    ProcessTree(ProcessHandle root, Duration walk) {
        this.root = root;
        this.walk = walk;
        this.rootStat = Stat.of(root.pid());
        known.put(root.pid(), root);
    }

    /**
     * SIGTERM, 200 ms, SIGKILL, and a few rounds more for what was forked meanwhile. Not ended by an interrupt, which is
     * kept.
     *
     * @param meanwhile is called every few milliseconds, so that nobody is stuck in a full pipe on the way out
     */
    void kill(Runnable meanwhile) {
        // The list comes first: once a parent is dead nothing tells whose child a process was.
        find();
        if (!anyRuns()) {
            return;
        }
        signal(ProcessHandle::destroy);
        await(GRACE, meanwhile);
        for (int round = 0; round < ROUNDS; round++) {
            find();
            if (!anyRuns()) {
                return;
            }
            signal(ProcessHandle::destroyForcibly);
            await(ROUND, meanwhile);
            if (System.nanoTime() - end > 0) {
                return;
            }
        }
    }

    /** Does the same to whoever else holds one of these pipes, and to what descends from it. */
    void killHolders(Set<String> names) {
        pipes = names;
        if (!pipes.isEmpty()) {
            kill(() -> { });
        }
    }

    private void signal(Consumer<ProcessHandle> how) {
        known.values().stream().filter(ProcessTree::runs).forEach(how);
    }

    private void await(Duration atMost, Runnable meanwhile) {
        long until = Math.min(System.nanoTime() + atMost.toNanos(), end);
        boolean interrupted = false;
        while (anyRuns() && System.nanoTime() - until < 0) {
            meanwhile.run();
            try {
                Thread.sleep(PAUSE.toMillis());
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean anyRuns() {
        return known.values().stream().anyMatch(ProcessTree::runs);
    }

    /** A killed orphan stays a zombie until somebody collects it: not ours to wait for. */
    private static boolean runs(ProcessHandle process) {
        return process.isAlive() && Stat.of(process.pid()).state != 'Z';
    }

    private void find() {
        if (!Files.isDirectory(PROC.resolve("self"))) {
            root.descendants().forEach(child -> known.put(child.pid(), child));
            return;
        }
        long until = System.nanoTime() + walk.toNanos();
        long[] pids = pids();
        Map<Long, Stat> seen = new HashMap<>();
        for (int i = 0; i < pids.length && !isOver(i, until); i++) {
            long pid = pids[i];
            Stat stat = Stat.of(pid);
            seen.put(pid, stat);
            if (!pipes.isEmpty() && stat.isNoOlderThan(rootStat) && holdsAtOutput(pid)) {
                add(pid, () -> holdsAtOutput(pid));
            }
        }
        addDescendants(seen);
        for (int i = 0; i < pids.length && !pipes.isEmpty() && !isOver(i, until); i++) {
            long pid = pids[i];
            // A neighbour that is being started has our pipe for a moment, until it closes what it was born with.
            Stat stat = seen.getOrDefault(pid, Stat.GONE);
            if (!known.containsKey(pid) && stat.isNoOlderThan(rootStat) && stat.parent != self && holdsAnywhere(pid)) {
                add(pid, () -> holdsAnywhere(pid));
            }
        }
    }

    /** Whether a walk ends after so many looks; {@code until} in the time of {@link System#nanoTime()}. */
    static boolean isOver(int looks, long until) {
        return looks >= WALK_AT_LEAST && System.nanoTime() - until > 0;
    }

    /** All processes in the order of {@link #fromRoot}: a walk that is stopped has then seen those that matter. */
    private long[] pids() {
        String[] names = new File("/proc").list((proc, name) -> Character.isDigit(name.charAt(0)));
        return fromRoot(Arrays.stream(names == null ? new String[0] : names).mapToLong(Long::parseLong).toArray(), root.pid());
    }

    /** In the order in which the system hands out numbers after the root's: upwards, and from the lowest after the highest. */
    static long[] fromRoot(long[] pids, long root) {
        Arrays.sort(pids);
        int first = Arrays.binarySearch(pids, root);
        int from = first < 0 ? -first - 1 : first;
        long[] ordered = new long[pids.length];
        System.arraycopy(pids, from, ordered, 0, pids.length - from);
        System.arraycopy(pids, 0, ordered, pids.length - from, from);
        return ordered;
    }

    private void addDescendants(Map<Long, Stat> seen) {
        boolean more = true;
        while (more) {
            more = false;
            for (Map.Entry<Long, Stat> entry : seen.entrySet()) {
                long pid = entry.getKey();
                long parent = entry.getValue().parent;
                if (known.containsKey(parent) && !known.containsKey(pid)) {
                    more |= add(pid, () -> Stat.of(pid).parent == parent);
                }
            }
        }
    }

    /** Takes the handle first and looks again: it is then the process that was seen, or none. Never this JVM. */
    private boolean add(long pid, BooleanSupplier stillSo) {
        if (pid == self || known.containsKey(pid)) {
            return false;
        }
        ProcessHandle process = ProcessHandle.of(pid).orElse(null);
        if (process == null || !stillSo.getAsBoolean()) {
            return false;
        }
        known.put(pid, process);
        return true;
    }

    private boolean holdsAtOutput(long pid) {
        return !Collections.disjoint(pipes, OwnPipes.atOutput(pid));
    }

    private boolean holdsAnywhere(long pid) {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(descriptors(pid))) {
            for (Path descriptor : descriptors) {
                if (pipes.contains(OwnPipes.link(descriptor)) && OwnPipes.isWritable(descriptor)) {
                    return true;
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // Gone, or of another user, who cannot have been started by us.
        }
        return false;
    }

    private static Path descriptors(long pid) {
        return PROC.resolve(Long.toString(pid)).resolve("fd");
    }

    /**
     * What {@code /proc/<pid>/stat} says of a process that may be gone.
     *
     * @param start in ticks of the kernel's clock, a hundredth of a second each
     */
    private record Stat(char state, long parent, long start) {

        private static final Stat GONE = new Stat('?', -1, -1);
        /** Where the start stands behind the name. */
        private static final int START = 19;

        /** What is gone has no age: everybody is younger than a root that is, and it is younger than nobody. */
        boolean isNoOlderThan(Stat other) {
            return start >= other.start;
        }

        static Stat of(long pid) {
            try {
                String stat = Files.readString(PROC.resolve(Long.toString(pid)).resolve("stat"), StandardCharsets.ISO_8859_1);
                // The name in parentheses can hold anything, parentheses too.
                String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", START + 2);
                return new Stat(fields[0].charAt(0), Long.parseLong(fields[1]), Long.parseLong(fields[START]));
            } catch (IOException | RuntimeException e) {
                return GONE;
            }
        }
    }
}
