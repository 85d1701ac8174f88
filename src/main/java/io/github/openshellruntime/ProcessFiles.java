// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringTokenizer;
import java.util.stream.Stream;

/** What the files of {@code /proc} tell of a process. */
final class ProcessFiles {

    /** To find children the JDK looks at all processes: 2 ms mostly, 0.7 s in a fork storm. */
    private static final boolean LIST_CHILDREN = Files.exists(Path.of("/proc/thread-self/children"));

    private ProcessFiles() {
    }

    static boolean isZombie(ProcessHandle process) {
        try {
            String stat = new String(Files.readAllBytes(Path.of("/proc/" + process.pid() + "/stat")));
            // The name in parentheses can hold anything, parentheses too.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            // If only the main thread has ended, others still run: the 18th field counts them.
            return fields[0].equals("Z") && fields[17].equals("1");
        } catch (IOException e) {
            return false;
        }
    }

    /** The processes that each thread of a process has forked and that have not been collected. */
    static Stream<ProcessHandle> children(ProcessHandle process) {
        List<ProcessHandle> children = new ArrayList<>();
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/" + process.pid() + "/task"))) {
            for (Path thread : threads) {
                StringTokenizer numbers = new StringTokenizer(Files.readString(thread.resolve("children")));
                while (numbers.hasMoreTokens()) {
                    ProcessHandle.of(Long.parseLong(numbers.nextToken())).ifPresent(children::add);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // What was read before counts.
        }
        return LIST_CHILDREN ? children.stream() : process.children();
    }
}
