// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A process and what descends from it, to be killed. Every signal goes to a {@link ProcessHandle}, which knows a process by
 * its start time as well as by its number. What left the tree by a double fork is left alone.
 */
final class ProcessTree {

    private static final long GRACE = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long ROUND = TimeUnit.MILLISECONDS.toNanos(30);
    private static final int ROUNDS = 4;
    /** After so long nothing more is looked for, so that a kill stays below a second whatever it meets. */
    private static final long LIMIT = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long MAX_PAUSE = TimeUnit.MILLISECONDS.toNanos(16);

    private final ProcessHandle root;
    private Set<ProcessHandle> known = Set.of();
    private long end;

    ProcessTree(ProcessHandle root) {
        this.root = root;
    }

    /**
     * SIGTERM, 200 ms, SIGKILL, and a few rounds more for what was forked meanwhile. An interrupt is put off.
     *
     * @param meanwhile is called every few milliseconds, so that nobody is stuck in a full pipe on the way out
     */
    void kill(Runnable meanwhile) {
        known = new LinkedHashSet<>(known);
        known.add(root);
        end = System.nanoTime() + LIMIT;
        signal(ProcessHandle::destroy);
        await(this::allEnded, GRACE, meanwhile);
        for (int round = 0; round < ROUNDS && !allEnded() && (round == 0 || System.nanoTime() - end < 0); round++) {
            signal(ProcessHandle::destroyForcibly);
            await(this::allEnded, ROUND, meanwhile);
        }
    }

    /** Looks first: once a parent is dead nothing tells whose child a process was. */
    private void signal(Consumer<ProcessHandle> how) {
        if (root.isAlive()) {
            root.descendants().filter(this::descends).forEach(known::add);
        }
        Deque<ProcessHandle> rest = new ArrayDeque<>(known);
        while (!rest.isEmpty()) {
            ProcessHandle process = rest.remove();
            // In the milliseconds since the look it may have forked much, and it may until it has died of the signal.
            addChildren(process, rest);
            how.accept(process);
            addChildren(process, rest);
        }
    }

    private void addChildren(ProcessHandle process, Deque<ProcessHandle> rest) {
        if (System.nanoTime() - end < 0) {
            ProcessFiles.children(process.pid()).stream().filter(this::descends).filter(known::add).forEach(rest::add);
        }
    }

    /** A look gives numbers, which may have new owners by now; a handle of the parent that still lives does not. */
    private boolean descends(ProcessHandle process) {
        return process.parent().filter(known::contains).filter(ProcessHandle::isAlive).isPresent();
    }

    /** A zombie waits for its parent to collect it, perhaps for ever: nothing is left to kill. */
    private boolean allEnded() {
        return known.stream().allMatch(process -> !process.isAlive() || ProcessFiles.isZombie(process.pid()));
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
