// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Replaces a file atomically: every reader and every crash sees the old or the new file, whole. The only class that writes
 * to a disk. The order of the system calls is the promise: new file forced, moved, directory forced.
 */
final class DurableFile {

    private static final int UNIQUE_BYTES = 16;
    /** The names of files that are not in place yet. They hold nothing of the target's name, so they always fit. */
    private static final Pattern TEMP_NAME = Pattern.compile("\\.[0-9a-f]{" + 2 * UNIQUE_BYTES + "}\\.tmp");
    private static final Duration LEFT_BEHIND = Duration.ofHours(1);

    private static final int PRIVATE_FILE = 0600;
    private static final int PRIVATE_DIRECTORY = 0700;
    private static final int MODE_BITS = 07777;
    private static final int PERMISSION_BITS = 0777;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Path target;
    private final Path temp;
    private final int ownUid;
    private final PolicyOperation operation;
    /** What is being done, in words that go with "cannot", and the remedy; {@code null} once the new file is in place. */
    private String step;

    private DurableFile(Path target, int ownUid, PolicyOperation operation) {
        this.target = target;
        this.ownUid = ownUid;
        this.operation = operation;
        byte[] unique = new byte[UNIQUE_BYTES];
        RANDOM.nextBytes(unique);
        this.temp = target.resolveSibling("." + HexFormat.of().formatHex(unique) + ".tmp");
    }

    private static FileAttribute<Set<PosixFilePermission>> mode(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }

    /**
     * Makes a directory of mode 0700 and forces its parent. A directory that another writer made in between is taken, and is
     * as durable.
     */
    static void makeDirectory(Path directory, PolicyOperation operation) throws PolicyWriteException {
        boolean made = false;
        try {
            Files.createDirectory(directory, mode("rwx------"));
            made = true;
        } catch (FileAlreadyExistsException e) {
            // Taken: the caller looks at its owner and mode.
        } catch (IOException e) {
            throw operation.failed("cannot make the directory; this process must be allowed to write its parent, and the"
                    + " file system must have room", e);
        }
        try (FileChannel parent = FileChannel.open(directory.getParent(), StandardOpenOption.READ)) {
            if (made && ((Integer) look(directory).get("mode") & PERMISSION_BITS) != PRIVATE_DIRECTORY) {
                throw new IOException("another mode");
            }
            parent.force(true);
        } catch (IOException e) {
            PolicyWriteException failure = operation.failed("cannot make the directory durable with mode 0700; the umask"
                    + " must leave the owner's bits alone, and this process must be allowed to read the parent", e);
            if (made) {
                cleanUp(directory, failure);
            }
            throw failure;
        }
    }

    /**
     * Puts a new file with mode 0600 at {@code target}, replacing a regular file or a link that stands there.
     *
     * @param ownUid who must own the new file
     * @throws PolicyWriteException naming the step; {@code committed()} once the new file is in place
     */
    static void write(Path target, byte[] content, int ownUid, PolicyOperation operation) throws PolicyWriteException {
        DurableFile file = new DurableFile(target, ownUid, operation);
        file.step = "open the directory; this process must be allowed to read, write and enter it";
        FileChannel directory = null;
        try {
            // Opened before the move: a later disk error is then reported here and nowhere else.
            directory = FileChannel.open(target.getParent(), StandardOpenOption.READ);
            file.exchange(content);
            file.step = null;
            directory.force(true);
        } catch (IOException e) {
            throw file.failed(e);
        } catch (RuntimeException | Error e) {
            if (file.step != null) {
                cleanUp(file.temp, e);
            }
            throw e;
        } finally {
            close(directory);
        }
    }

    private PolicyWriteException failed(IOException e) {
        if (step == null) {
            return new PolicyWriteException(operation.name() + " failed: the new policy is in place, but the directory"
                    + " cannot be forced to the disk, so a power loss may bring the old one back; do not create the sandbox,"
                    + " write again", operation.path(), true, e);
        }
        PolicyWriteException failure = operation.failed("cannot " + step, e);
        // A name that was taken is somebody else's file.
        if (!(e instanceof FileAlreadyExistsException)) {
            cleanUp(temp, failure);
        }
        return failure;
    }

    private void exchange(byte[] content) throws IOException {
        step = "create a new file in the directory; this process must be allowed to, and there must be room";
        try (FileChannel out = FileChannel.open(temp,
                Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW, LinkOption.NOFOLLOW_LINKS),
                mode("rw-------"))) {
            requirePrivate();
            step = "write the new file; the file system must have room, and the quota too";
            ByteBuffer rest = ByteBuffer.wrap(content);
            while (rest.hasRemaining()) {
                out.write(rest);
            }
            step = "force the new file to the disk; look for errors of the disk";
            out.force(true);
            step = "close the new file; look for errors of the disk";
        }
        step = "move the new file into place; where the policy is a mount of its own, mount its directory instead";
        Files.move(temp, target, StandardCopyOption.ATOMIC_MOVE);
    }

    private void requirePrivate() throws IOException {
        step = "create a file of this process's own, 0600 from its first byte; umask and file system must leave it so";
        Map<String, Object> seen = look(temp);
        if (((Integer) seen.get("mode") & MODE_BITS) != PRIVATE_FILE || (Integer) seen.get("uid") != ownUid) {
            throw new IOException("another mode or owner");
        }
    }

    private static Map<String, Object> look(Path path) throws IOException {
        return Files.readAttributes(path, "unix:mode,uid,isRegularFile,lastModifiedTime", LinkOption.NOFOLLOW_LINKS);
    }

    private static void cleanUp(Path leftover, Throwable failure) {
        try {
            Files.deleteIfExists(leftover);
        } catch (IOException | Error e) {
            failure.addSuppressed(new IOException("left behind: " + Text.escaped(leftover.toString()), e));
        }
    }

    private static void close(FileChannel directory) {
        if (directory != null) {
            try {
                directory.close();
            } catch (IOException e) {
                // Nothing was written through it, and the force has reported every error.
            }
        }
    }

    /** Removes a file or a link; false when nothing was there. */
    static boolean remove(Path file, PolicyOperation operation) throws PolicyWriteException {
        try {
            return Files.deleteIfExists(file);
        } catch (IOException e) {
            throw operation.failed("cannot remove " + Text.escaped(file.getFileName().toString())
                    + "; this process must be allowed to write the directory", e);
        }
    }

    /** Removes what killed writers left among the entries of a directory, and returns it. */
    static List<Path> sweep(List<Path> entries, int ownUid, PolicyOperation operation) throws PolicyWriteException {
        List<Path> removed = new ArrayList<>();
        for (Path entry : entries) {
            if (TEMP_NAME.matcher(entry.getFileName().toString()).matches() && isLeftBehind(entry, ownUid, operation)
                    && remove(entry, operation)) {
                removed.add(entry);
            }
        }
        return List.copyOf(removed);
    }

    private static boolean isLeftBehind(Path temp, int ownUid, PolicyOperation operation) throws PolicyWriteException {
        try {
            Map<String, Object> seen = look(temp);
            Instant modified = ((FileTime) seen.get("lastModifiedTime")).toInstant();
            return (Boolean) seen.get("isRegularFile") && (Integer) seen.get("uid") == ownUid
                    && modified.isBefore(Instant.now().minus(LEFT_BEHIND));
        } catch (NoSuchFileException e) {
            // Its writer, or another sweep, was faster.
            return false;
        } catch (IOException e) {
            throw operation.failed("cannot look at a leftover; this process must be allowed to enter the directory", e);
        }
    }
}
