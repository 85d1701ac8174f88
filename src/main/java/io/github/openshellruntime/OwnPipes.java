// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * The kernel's names of the pipes that a run reads from ({@code pipe:[inode]}), which tell who still holds them. They are
 * learnt by closing them: ours are those whose reading ends this JVM then no longer has. To ask the child's descriptors
 * would be to believe the child, who can put any other pipe there; a neighbour would be killed for it.
 */
final class OwnPipes {

    private static final Path OWN_DESCRIPTORS = Path.of("/proc/self/fd");
    private static final String PIPE = "pipe:[";
    private static final int STREAMS = 2;

    private OwnPipes() {
    }

    /** The pipes at the standard output and the standard error of a process, for what that is worth. */
    static Set<String> atOutput(long pid) {
        Set<String> names = new HashSet<>();
        for (String descriptor : new String[] {"1", "2"}) {
            names.add(link(Path.of("/proc", Long.toString(pid), "fd", descriptor)));
        }
        return names;
    }

    /** Closes the streams of a run, never while another run finds out which ones are its own. */
    static synchronized void close(Runnable streams) {
        streams.run();
    }

    /**
     * Closes the streams of a run and returns the names of their pipes. Empty where they cannot be told, as without
     * {@code /proc}; whether the streams are closed is then open.
     *
     * @param atOutput asked only where something else in this JVM closed a pipe at the same moment
     */
    static synchronized Set<String> closeAndName(Runnable streams, Set<String> atOutput) {
        try {
            Set<String> closed = readingEnds();
            streams.run();
            closed.removeAll(readingEnds());
            if (closed.size() > STREAMS) {
                closed.retainAll(atOutput);
            }
            return closed;
        } catch (IOException | DirectoryIteratorException e) {
            return Set.of();
        }
    }

    private static Set<String> readingEnds() throws IOException {
        Set<String> names = new HashSet<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(OWN_DESCRIPTORS)) {
            for (Path descriptor : descriptors) {
                String name = link(descriptor);
                if (name.startsWith(PIPE) && !isWritable(descriptor)) {
                    names.add(name);
                }
            }
        }
        return names;
    }

    /** What a descriptor of {@code /proc} names; {@code ""} when it is gone or not ours to see. */
    static String link(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException | UnsupportedOperationException e) {
            return "";
        }
    }

    /** Whether a descriptor of {@code /proc} is open for writing: its link has the mode of the descriptor. */
    static boolean isWritable(Path descriptor) {
        try {
            int mode = (Integer) Files.getAttribute(descriptor, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            return (mode & 0200) != 0;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }
}
