// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Exchanges a file for a new one so that no reader and no crash sees anything but one of the two, whole; the only class
 * that writes to a disk. The order of the system calls is the promise: new file forced, moved, directory forced.
 */
final class DurableFile {

    /** The names of files that are not in place yet. They hold nothing of the target's name, so they always fit. */
    static final Pattern TEMP_NAME = Pattern.compile("\\.[0-9a-f]{32}\\.tmp");

    private static final int PRIVATE_FILE = 0600;
    private static final int PRIVATE_DIRECTORY = 0700;
    private static final int MODE_BITS = 07777;
    private static final int PERMISSION_BITS = 0777;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Path target;
    private final Path temp;
    private final int ownUid;
    /** What is being done, in words that go with "cannot"; {@code null} once the new file is in place. */
    private String step;
    private boolean created;

    private DurableFile(Path target, int ownUid) {
        this.target = target;
        this.ownUid = ownUid;
        byte[] unique = new byte[16];
        RANDOM.nextBytes(unique);
        this.temp = target.resolveSibling("." + HexFormat.of().formatHex(unique) + ".tmp");
    }

    private static FileAttribute<Set<PosixFilePermission>> mode(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }

    /** Makes a directory of mode 0700 and forces its parent; one that somebody else made in between is taken. */
    static void makeDirectory(Path directory, Path reported) throws PolicyWriteException {
        try {
            Files.createDirectory(directory, mode("rwx------"));
        } catch (FileAlreadyExistsException e) {
            return;
        } catch (IOException e) {
            throw PolicyWriteException.untouched("cannot make the directory", reported, e);
        }
        try (FileChannel parent = FileChannel.open(directory.getParent(), StandardOpenOption.READ)) {
            int mode = (Integer) Files.getAttribute(directory, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            if ((mode & PERMISSION_BITS) != PRIVATE_DIRECTORY) {
                throw new IOException("its mode is not 0700; the umask takes bits away from the owner");
            }
            parent.force(true);
        } catch (IOException e) {
            PolicyWriteException failure = PolicyWriteException.untouched("cannot make the directory durable and 0700",
                    reported, e);
            cleanUp(directory, failure);
            throw failure;
        }
    }

    /**
     * Puts a new file with mode 0600 at {@code target}, replacing a regular file or a link that stands there.
     *
     * @param ownUid who must own the new file
     * @throws PolicyWriteException naming the step; {@code committed()} once the new file is in place
     */
    static void write(Path target, byte[] content, int ownUid) throws PolicyWriteException {
        DurableFile file = new DurableFile(target, ownUid);
        file.step = "open the directory";
        FileChannel directory = null;
        try {
            // Opened before the move: an error of the disk that comes later is then reported here and to nobody else.
            directory = FileChannel.open(target.getParent(), StandardOpenOption.READ);
            file.exchange(content);
            file.step = null;
            directory.force(true);
        } catch (IOException e) {
            throw file.failed(e);
        } catch (RuntimeException | Error e) {
            file.cleanUp(e);
            throw e;
        } finally {
            close(directory);
        }
    }

    private PolicyWriteException failed(IOException e) {
        if (step == null) {
            return new PolicyWriteException("the new policy is in place, but the directory cannot be forced to the disk, so"
                    + " a power loss may bring the old one back; do not create the sandbox", target, true, e);
        }
        PolicyWriteException failure = PolicyWriteException.untouched("cannot " + step, target, e);
        cleanUp(failure);
        return failure;
    }

    private void exchange(byte[] content) throws IOException {
        step = "create a new file in the directory";
        try (FileChannel out = FileChannel.open(temp,
                Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW, LinkOption.NOFOLLOW_LINKS),
                mode("rw-------"))) {
            created = true;
            requirePrivate();
            step = "write the new file";
            ByteBuffer rest = ByteBuffer.wrap(content);
            while (rest.hasRemaining()) {
                out.write(rest);
            }
            step = "force the new file to the disk";
            out.force(true);
            step = "close the new file";
        }
        step = "move the new file into place (if the policy is a mount of its own, mount its directory instead)";
        Files.move(temp, target, StandardCopyOption.ATOMIC_MOVE);
    }

    private void requirePrivate() throws IOException {
        step = "create a new file that is ours and 0600 from its first byte (umask and file system must leave it so)";
        Map<String, Object> seen = Files.readAttributes(temp, "unix:mode,uid", LinkOption.NOFOLLOW_LINKS);
        if (((Integer) seen.get("mode") & MODE_BITS) != PRIVATE_FILE || (Integer) seen.get("uid") != ownUid) {
            throw new IOException("it has another mode or owner");
        }
    }

    private void cleanUp(Throwable failure) {
        if (created && step != null) {
            cleanUp(temp, failure);
        }
    }

    private static void cleanUp(Path leftover, Throwable failure) {
        try {
            Files.deleteIfExists(leftover);
        } catch (IOException e) {
            failure.addSuppressed(new IOException("left behind: " + Text.escaped(leftover.toString()), e));
        }
    }

    private static void close(FileChannel directory) {
        if (directory != null) {
            try {
                directory.close();
            } catch (IOException e) {
                // Nothing was written through it, and whatever it had to report the force has reported.
            }
        }
    }

    /** Removes a file or a link; false when nothing was there. */
    static boolean remove(Path file) throws IOException {
        return Files.deleteIfExists(file);
    }
}
