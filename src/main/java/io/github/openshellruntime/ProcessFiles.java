// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringTokenizer;

/** What the files of {@code /proc} tell of a process. Where they are missing or cannot be read, nothing. */
final class ProcessFiles {

    private ProcessFiles() {
    }

    static boolean isZombie(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
            // The name in parentheses can hold anything, parentheses too.
            return stat.startsWith("Z", stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return false;
        }
    }

    /** The processes that each thread of a process has forked. */
    static List<ProcessHandle> children(long pid) {
        List<ProcessHandle> children = new ArrayList<>();
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
            for (Path thread : threads) {
                StringTokenizer numbers = new StringTokenizer(Files.readString(thread.resolve("children")));
                while (numbers.hasMoreTokens()) {
                    ProcessHandle.of(Long.parseLong(numbers.nextToken())).ifPresent(children::add);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // What was read before counts.
        }
        return children;
    }
}
