// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A directory for policy files, its links resolved once: the names in it, and the check that only we and root can exchange
 * its files.
 *
 * @param path absolute and free of links, but perhaps not there yet
 * @param ownUid the user that this process acts as
 */
record PolicyDirectory(Path path, boolean exists, int ownUid, PolicyOperation operation) {

    private static final String SUFFIX = ".policy.json";

    private static final int ROOT = 0;
    private static final int WRITABLE_BY_OTHERS = 0022;
    private static final int WORLD_WRITABLE = 0002;
    private static final int STICKY = 01000;

    static String fileName(SessionId session) {
        return session.sandboxName() + SUFFIX;
    }

    /** Resolves a directory, or the parent of one that does not exist. */
    static PolicyDirectory resolve(Path directory, PolicyOperation operation) throws PolicyWriteException {
        Optional<PolicyDirectory> existing = existing(directory, operation);
        PolicyDirectory resolved = existing.isPresent() ? existing.get()
                : new PolicyDirectory(missing(directory, operation), false, ownUid(operation), operation);
        if (!Path.of(resolved.path.toString()).equals(resolved.path)) {
            throw operation.failed("the directory's path has bytes that are no text here, so OpenShell cannot be told it;"
                    + " choose another directory, or run with a UTF-8 locale", null);
        }
        return resolved;
    }

    /** Resolves a directory; empty where it does not exist. */
    static Optional<PolicyDirectory> existing(Path directory, PolicyOperation operation) throws PolicyWriteException {
        FileSystem files = directory.getFileSystem();
        if (!files.equals(FileSystems.getDefault()) || !files.supportedFileAttributeViews().contains("unix")) {
            throw operation.failed("policies are written on Linux alone, to its default file system; choose a directory"
                    + " there", null);
        }
        int ownUid = ownUid(operation);
        return realPath(directory, operation).map(path -> new PolicyDirectory(path, true, ownUid, operation));
    }

    /** By number: a container's user often has no name. */
    private static int ownUid(PolicyOperation operation) throws PolicyWriteException {
        try {
            return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        } catch (IOException e) {
            throw operation.failed("policies are written on Linux alone, where /proc/self tells this process's user;"
                    + " mount /proc", e);
        }
    }

    private static Optional<Path> realPath(Path directory, PolicyOperation operation) throws PolicyWriteException {
        Path real;
        boolean isDirectory;
        try {
            real = directory.toRealPath();
            isDirectory = (Boolean) Files.getAttribute(real, "isDirectory", LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw operation.failed("the directory cannot be resolved; every part of its path must be a directory that this"
                    + " process may enter, and links must not lead in a circle", e);
        }
        if (!isDirectory) {
            throw operation.failed("a file stands in the directory's place; choose another path", null);
        }
        return Optional.of(real);
    }

    /** Where a directory that does not exist would be made. */
    private static Path missing(Path directory, PolicyOperation operation) throws PolicyWriteException {
        if (directory.endsWith(".") || directory.endsWith("..")) {
            throw operation.failed("the directory does not exist and cannot be made by a path that ends in . or ..;"
                    + " name the directory itself", null);
        }
        if (Files.isSymbolicLink(directory)) {
            throw operation.failed("the directory is a link to nothing; make what it names, or remove the link", null);
        }
        return realPath(directory.getParent(), operation)
                .orElseThrow(() -> operation.failed("neither the directory nor its parent exists; make the parent,"
                        + " for only one level is made here", null))
                .resolve(directory.getFileName());
    }

    /** Makes the directory where it is missing, and refuses one whose files others could exchange. */
    void makeTrusted() throws PolicyWriteException {
        for (Path above = path.getParent(); above != null; above = above.getParent()) {
            requireTrustedAncestor(above);
        }
        if (!exists) {
            DurableFile.makeDirectory(path, operation);
        }
        requireTrusted();
    }

    // A group that may write a directory above can exchange the one below it. This is allowed: user-private groups and
    // umask 002 are Debian's default. PolicyDocuments.write says so.
    private void requireTrustedAncestor(Path above) throws PolicyWriteException {
        int mode = modeOfOwn(above);
        if ((mode & WORLD_WRITABLE) != 0 && (mode & STICKY) == 0) {
            throw operation.failed(Text.escaped(above.toString()) + " is world-writable without the sticky bit, so anybody"
                    + " can exchange what is below it; choose a directory below others", null);
        }
    }

    private void requireTrusted() throws PolicyWriteException {
        int mode = modeOfOwn(path);
        if ((mode & WRITABLE_BY_OTHERS) != 0) {
            throw operation.failed("the directory is writable by its group or by others; use one of mode 0700 of this"
                    + " process's own", null);
        }
    }

    /** The mode of a directory that must be ours or root's. */
    private int modeOfOwn(Path directory) throws PolicyWriteException {
        Map<String, Object> seen;
        try {
            seen = Files.readAttributes(directory, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            throw operation.failed("cannot look at " + Text.escaped(directory.toString())
                    + "; this process must be allowed to, and it must stay there", e);
        }
        int owner = (Integer) seen.get("uid");
        if (owner != ROOT && owner != ownUid) {
            throw operation.failed(Text.escaped(directory.toString()) + " belongs to another user than root and this"
                    + " process's; choose a directory of this process's own", null);
        }
        return (Integer) seen.get("mode");
    }

    Path file(SessionId session) {
        return path.resolve(fileName(session));
    }

    /** Refuses what is neither a file nor a link in a policy's place; false when nothing is there. */
    boolean requireReplaceable(Path target) throws PolicyWriteException {
        Optional<Boolean> replaceable = isFileOrLink(target);
        if (!replaceable.orElse(true)) {
            throw operation.failed("a directory, FIFO, socket or device stands in the policy's place; remove it", null);
        }
        return replaceable.isPresent();
    }

    /** Empty when nothing is there. */
    private Optional<Boolean> isFileOrLink(Path target) throws PolicyWriteException {
        try {
            return Optional.of(Files.readAttributes(target, "isRegularFile,isSymbolicLink", LinkOption.NOFOLLOW_LINKS)
                    .containsValue(true));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw operation.failed("cannot look at the policy's place; this process must be allowed to enter the directory",
                    e);
        }
    }

    /** The sessions that have a policy here. */
    Set<SessionId> sessions() throws PolicyWriteException {
        Set<SessionId> sessions = new LinkedHashSet<>();
        for (Path entry : entries()) {
            String name = entry.getFileName().toString();
            String sandbox = name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : "";
            if (SessionId.isSandboxName(sandbox) && isFileOrLink(entry).orElse(false)) {
                sessions.add(SessionId.fromSandboxName(sandbox));
            }
        }
        return Collections.unmodifiableSet(sessions);
    }

    /** Everything in the directory, sorted. */
    List<Path> entries() throws PolicyWriteException {
        List<Path> entries = new ArrayList<>();
        try (DirectoryStream<Path> listed = Files.newDirectoryStream(path)) {
            listed.forEach(entries::add);
        } catch (IOException | DirectoryIteratorException e) {
            throw operation.failed("cannot list the directory; this process must be allowed to read and enter it", e);
        }
        Collections.sort(entries);
        return entries;
    }
}
