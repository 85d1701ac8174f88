// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A process and what descends from it, to be killed. Every signal goes to a {@link ProcessHandle}, which knows a process by
 * its start time as well as by its number. What left the tree by a double fork is left alone.
 */
final class ProcessTree {

    private static final Duration GRACE = Duration.ofMillis(200);
    private static final Duration ROUND = Duration.ofMillis(30);
    private static final int ROUNDS = 4;
    /** Nothing is waited for after so long, so that a kill stays below a second whatever it meets. */
    private static final Duration LIMIT = Duration.ofMillis(700);
    private static final long MAX_PAUSE_MILLIS = 16;

    private final Set<ProcessHandle> known = new LinkedHashSet<>();
    private long end;

    ProcessTree(ProcessHandle root) {
        known.add(root);
    }

    /**
     * SIGTERM, 200 ms, SIGKILL, and a few rounds more for what was forked meanwhile. An interrupt is put off.
     *
     * @param meanwhile is called every few milliseconds, so that nobody is stuck in a full pipe on the way out
     */
    void kill(Runnable meanwhile) {
        end = System.nanoTime() + LIMIT.toNanos();
        // The look comes first: once a parent is dead nothing tells whose child a process was.
        look();
        known.forEach(ProcessHandle::destroy);
        await(GRACE, meanwhile);
        for (int round = 0; round < ROUNDS && anyRuns() && System.nanoTime() - end < 0; round++) {
            look();
            known.forEach(ProcessHandle::destroyForcibly);
            await(ROUND, meanwhile);
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

    /** The look gives numbers, which may have new owners by now; a handle of the parent that still lives does not. */
    private boolean descends(ProcessHandle process) {
        return process.parent().filter(known::contains).filter(ProcessHandle::isAlive).isPresent();
    }

    private void await(Duration atMost, Runnable meanwhile) {
        long until = Math.min(System.nanoTime() + atMost.toNanos(), end);
        boolean interrupted = false;
        for (long pause = 1; anyRuns() && System.nanoTime() - until < 0; pause = Math.min(2 * pause, MAX_PAUSE_MILLIS)) {
            meanwhile.run();
            try {
                Thread.sleep(pause);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean anyRuns() {
        return known.stream().anyMatch(process -> process.isAlive() && !isZombie(process.pid()));
    }

    /** A zombie waits for its parent to collect it, perhaps for ever: nothing is left to kill. */
    private static boolean isZombie(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
            // The name in parentheses can hold anything, parentheses too.
            return stat.startsWith("Z", stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return false;
        }
    }
}
