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
import java.util.concurrent.ConcurrentHashMap;

/**
 * The kernel's names of the pipes that a run reads from ({@code pipe:[inode]}), which tell who still holds them. A name is
 * taken from the child's own descriptors 1 and 2, and a child can put any other pipe there; so a pipe is ours only if this
 * JVM holds its reading end and no other run has claimed it. Else a neighbour could be killed for what a child did.
 */
final class OwnPipes {

    /** The names that the runs of this JVM have claimed, each by one of them. */
    private static final Set<String> CLAIMED = ConcurrentHashMap.newKeySet();

    private static final Path OWN_DESCRIPTORS = Path.of("/proc/self/fd");
    private static final String PIPE = "pipe:[";

    private final long pid;
    /** The names behind the child's descriptors 1 and 2; {@code null} where none could be seen yet. */
    private final String[] names = new String[2];
    private final Set<String> claimed = new HashSet<>();

    /** Right after the start, when a child has hardly had the time to exchange them. */
    OwnPipes(long pid) {
        this.pid = pid;
        claim();
    }

    /** A name that was seen is not looked at again: later it is what the child wants it to be. */
    private void claim() {
        for (int i = 0; i < names.length; i++) {
            if (names[i] == null) {
                String name = link(Path.of("/proc", Long.toString(pid), "fd", Integer.toString(i + 1)));
                names[i] = name.startsWith(PIPE) ? name : null;
                if (names[i] != null && !claimed.contains(name) && CLAIMED.add(name)) {
                    claimed.add(name);
                }
            }
        }
    }

    void release() {
        CLAIMED.removeAll(claimed);
    }

    /** Looks for names not seen yet, and returns those whose reading end this JVM holds, its standard input apart. */
    Set<String> held() {
        claim();
        Set<String> held = new HashSet<>();
        String standardInput = link(OWN_DESCRIPTORS.resolve("0"));
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(OWN_DESCRIPTORS)) {
            for (Path descriptor : descriptors) {
                String name = link(descriptor);
                if (claimed.contains(name) && !name.equals(standardInput) && !isWritable(descriptor)) {
                    held.add(name);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // Without /proc nobody can be found by a pipe; the tree is killed all the same.
        }
        return held;
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
