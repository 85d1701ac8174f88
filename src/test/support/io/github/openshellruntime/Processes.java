// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** What a test asks of processes: is one alive, is anything left of this JVM's. */
final class Processes {

    private static final AtomicInteger MARKS = new AtomicInteger();

    private Processes() {
    }

    /** A number of seconds, about {@code seconds}, that no other sleep of this machine has: to be found by. */
    static String mark(int seconds) {
        return seconds + "." + String.format("%06d%03d", ProcessHandle.current().pid() % 1_000_000, MARKS.incrementAndGet() % 1_000);
    }

    /** Whether a process with this argument runs; zombies do not. */
    static boolean runs(String argument) {
        return with(argument).findAny().isPresent();
    }

    /** The processes with this argument. */
    static Stream<ProcessHandle> with(String argument) {
        return ProcessHandle.allProcesses().filter(
                process -> Arrays.asList(process.info().arguments().orElse(new String[0])).contains(argument));
    }

    static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false) && !isZombie(pid);
    }

    private static boolean isZombie(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'Z';
        } catch (IOException e) {
            return true;
        }
    }

    /** The open descriptors of this JVM. */
    static long descriptors() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The live threads of this JVM but those of the JDK that reap processes and idle on. */
    static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !thread.getName().startsWith("process reaper")).count();
    }

    static long children() {
        return ProcessHandle.current().children().filter(child -> isAlive(child.pid())).count();
    }
}
