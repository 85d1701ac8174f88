// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;

/**
 * A directory for policy files, its links resolved once, and whether it can be trusted: nobody but us and root can
 * exchange what stands in it, or a directory above it.
 *
 * @param path absolute and free of links, but perhaps not there yet
 * @param ownUid the user that this process acts as
 */
record PolicyDirectory(Path path, boolean exists, int ownUid) {

    private static final int ROOT = 0;
    private static final int WRITABLE_BY_OTHERS = 0022;
    private static final int WORLD_WRITABLE = 0002;
    private static final int STICKY = 01000;

    /**
     * Resolves a directory, or the parent of one that does not exist.
     *
     * @param reported the path that an exception names
     */
    static PolicyDirectory resolve(Path directory, Path reported) throws PolicyWriteException {
        requireUnix(directory, reported);
        try {
            return new PolicyDirectory(representable(directory.toRealPath(), reported), true, user(reported));
        } catch (NoSuchFileException missing) {
            return new PolicyDirectory(representable(missing(directory, reported), reported), false, user(reported));
        } catch (PolicyWriteException e) {
            throw e;
        } catch (IOException e) {
            throw PolicyWriteException.untouched("cannot resolve the directory", reported, e);
        }
    }

    private static Path missing(Path directory, Path reported) throws PolicyWriteException {
        Path absolute = directory.toAbsolutePath();
        Path name = absolute.getFileName();
        if (name == null || name.toString().equals(".") || name.toString().equals("..")) {
            throw PolicyWriteException.untouched("cannot make a directory named . or ..", reported, null);
        }
        try {
            return absolute.getParent().toRealPath().resolve(name);
        } catch (IOException e) {
            throw PolicyWriteException.untouched("cannot resolve the parent of the directory; only one level is made",
                    reported, e);
        }
    }

    private static void requireUnix(Path directory, Path reported) throws PolicyWriteException {
        if (!directory.getFileSystem().supportedFileAttributeViews().contains("unix")
                || !Files.isDirectory(Path.of("/proc/self"))) {
            throw PolicyWriteException.untouched("policies are written on Linux alone: the file system needs POSIX owners"
                    + " and modes, and /proc/self must be there", reported, null);
        }
    }

    /** A path that text cannot hold could not be handed to OpenShell. */
    private static Path representable(Path path, Path reported) throws PolicyWriteException {
        if (!path.getFileSystem().getPath(path.toString()).equals(path)) {
            throw PolicyWriteException.untouched("the directory's path has bytes that are no text", reported, null);
        }
        return path;
    }

    /** By number: a container's user often has no name. */
    private static int user(Path reported) throws PolicyWriteException {
        try {
            return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        } catch (IOException e) {
            throw PolicyWriteException.untouched("cannot tell our own user", reported, e);
        }
    }

    /** Refuses a directory above which others could exchange a directory. */
    void requireTrustedAncestors(Path reported) throws PolicyWriteException {
        for (Path above = path.getParent(); above != null; above = above.getParent()) {
            Map<String, Object> seen = look(above, reported);
            requireOwner(seen, above, reported);
            int mode = (Integer) seen.get("mode");
            if ((mode & WORLD_WRITABLE) != 0 && (mode & STICKY) == 0) {
                throw PolicyWriteException.untouched(Text.escaped(above.toString())
                        + " is world-writable without the sticky bit; choose a directory below trusted ones", reported, null);
            }
        }
    }

    /** Refuses a directory whose files others could exchange. */
    void requireTrusted(Path reported) throws PolicyWriteException {
        Map<String, Object> seen = look(path, reported);
        if (!(Boolean) seen.get("isDirectory")) {
            throw PolicyWriteException.untouched("the directory is none", reported, null);
        }
        requireOwner(seen, path, reported);
        if (((Integer) seen.get("mode") & WRITABLE_BY_OTHERS) != 0) {
            throw PolicyWriteException.untouched("the directory is writable by group or others; use one of mode 0700",
                    reported, null);
        }
    }

    private static Map<String, Object> look(Path path, Path reported) throws PolicyWriteException {
        try {
            return Files.readAttributes(path, "unix:uid,mode,isDirectory", LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            throw PolicyWriteException.untouched("cannot look at " + Text.escaped(path.toString()), reported, e);
        }
    }

    private void requireOwner(Map<String, Object> seen, Path path, Path reported) throws PolicyWriteException {
        int owner = (Integer) seen.get("uid");
        if (owner != ROOT && owner != ownUid) {
            throw PolicyWriteException.untouched(Text.escaped(path.toString())
                    + " belongs to another user than ours and root; choose a directory of our own", reported, null);
        }
    }
}
