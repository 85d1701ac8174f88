// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
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
    private static final long MAX_PAUSE_MILLIS = 16;

    private final Set<ProcessHandle> known = new LinkedHashSet<>();

    ProcessTree(ProcessHandle root) {
        known.add(root);
    }

    /**
     * SIGTERM, 200 ms, SIGKILL, and a few rounds more for what was forked meanwhile. An interrupt is put off.
     *
     * @param meanwhile is called every few milliseconds, so that nobody is stuck in a full pipe on the way out
     */
    void kill(Runnable meanwhile) {
        // The look comes first: once a parent is dead nothing tells whose child a process was.
        look();
        signal(ProcessHandle::destroy);
        await(() -> !anyRuns(), GRACE, meanwhile);
        for (int round = 0; round < ROUNDS && anyRuns(); round++) {
            look();
            signal(ProcessHandle::destroyForcibly);
            await(() -> !anyRuns(), ROUND, meanwhile);
        }
    }

    /** Each look of the JDK reads all processes of the machine, so one serves all that descends from a process. */
    private void look() {
        Set<ProcessHandle> seen = new HashSet<>();
        for (ProcessHandle process : List.copyOf(known)) {
            if (seen.add(process) && process.isAlive()) {
                process.descendants().filter(seen::add).filter(this::descends).forEach(known::add);
            }
        }
    }

    /** A look gives numbers, which may have new owners by now; a handle of the parent that still lives does not. */
    private boolean descends(ProcessHandle process) {
        return process.parent().filter(known::contains).filter(ProcessHandle::isAlive).isPresent();
    }

    /** In the milliseconds since the look a shell forks much, so the kernel is asked for its children at the last moment. */
    private void signal(Consumer<ProcessHandle> how) {
        Deque<ProcessHandle> rest = new ArrayDeque<>(known);
        while (!rest.isEmpty()) {
            ProcessHandle process = rest.remove();
            ProcessFiles.children(process.pid()).stream().filter(this::descends).filter(known::add).forEach(rest::add);
            how.accept(process);
        }
    }

    /** A zombie waits for its parent to collect it, perhaps for ever: nothing is left to kill. */
    private boolean anyRuns() {
        return known.stream().anyMatch(process -> process.isAlive() && !ProcessFiles.isZombie(process.pid()));
    }

    /** Waits for an end in growing pauses. An interrupt is put off. */
    static void await(BooleanSupplier over, long nanos, Runnable meanwhile) {
        long until = System.nanoTime() + nanos;
        boolean interrupted = false;
        long pause = 1;
        while (!over.getAsBoolean() && System.nanoTime() - until < 0) {
            meanwhile.run();
            try {
                Thread.sleep(pause);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            pause = Math.min(2 * pause, MAX_PAUSE_MILLIS);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
