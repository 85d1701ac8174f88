// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A process and what descends from it, to be killed. Every signal goes to a {@link ProcessHandle}, which knows a process by
 * its start time as well as by its number. What left the tree by a double fork is left alone.
 */
final class ProcessTree {

    private static final long GRACE = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long ROUND = TimeUnit.MILLISECONDS.toNanos(30);
    private static final int ROUNDS = 4;
    /** Follows at most so many at once: a kill must stay below a second. */
    private static final int MANY = 200;
    private static final long MAX_PAUSE = TimeUnit.MILLISECONDS.toNanos(16);

    private final ProcessHandle root;
    private final Function<ProcessHandle, Stream<ProcessHandle>> children;
    private Set<ProcessHandle> known = Set.of();

    /** @param children of a process, as {@link ProcessFiles#children} knows them */
    ProcessTree(ProcessHandle root, Function<ProcessHandle, Stream<ProcessHandle>> children) {
        this.root = root;
        this.children = children;
    }

    /**
     * SIGTERM, 200 ms, SIGKILL, and a few rounds more for what was forked meanwhile. An interrupt is put off.
     *
     * @param meanwhile is called every few milliseconds, so no process hangs on a full pipe while it exits
     */
    void kill(Runnable meanwhile) {
        known = new LinkedHashSet<>(known);
        known.add(root);
        signal(ProcessHandle::destroy);
        await(this::allEnded, GRACE, meanwhile);
        for (int round = 0; round < ROUNDS && !allEnded(); round++) {
            signal(ProcessHandle::destroyForcibly);
            await(this::allEnded, ROUND, meanwhile);
        }
    }

    /** Looks before each signal and while it dies: once a parent is dead, nothing tells whose child it was. */
    private void signal(Consumer<ProcessHandle> how) {
        Deque<ProcessHandle> rest = new ArrayDeque<>(known);
        while (!rest.isEmpty()) {
            ProcessHandle process = rest.remove();
            addChildren(process, rest);
            addChildren(process, rest);
            how.accept(process);
            addChildren(process, rest);
        }
    }

    private void addChildren(ProcessHandle process, Deque<ProcessHandle> rest) {
        children.apply(process).filter(child -> known.size() < MANY && !known.contains(child) && descends(child))
                .filter(known::add).forEach(rest::add);
    }

    /** A look gives numbers that may have new owners by now; a handle of the living parent does not. */
    private boolean descends(ProcessHandle process) {
        return process.parent().filter(known::contains).filter(ProcessHandle::isAlive).isPresent();
    }

    /** A zombie waits for its parent to collect it, perhaps for ever: nothing is left to kill. */
    private boolean allEnded() {
        known.removeIf(process -> !process.isAlive() || ProcessFiles.isZombie(process));
        return known.isEmpty();
    }

    /** Waits for an end in growing pauses. An interrupt is put off. */
    static void await(BooleanSupplier over, long nanos, Runnable meanwhile) {
        long until = System.nanoTime() + nanos;
        boolean interrupted = false;
        long pause = MAX_PAUSE / 32;
        for (long left = nanos; left > 0 && !over.getAsBoolean(); left = until - System.nanoTime()) {
            meanwhile.run();
            try {
                TimeUnit.NANOSECONDS.sleep(Math.min(pause, left));
            } catch (InterruptedException e) {
                interrupted = true;
            }
            pause = Math.min(2 * pause, MAX_PAUSE);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
