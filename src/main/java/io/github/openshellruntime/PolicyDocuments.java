// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Renders the policy of a realm and puts it on the disk. All methods are static and thread-safe; {@link #render} does no
 * I/O, the others block on the disk.
 *
 * <h2>The document</h2>
 *
 * Canonical JSON, which is YAML too: ASCII, two spaces a level, every member and element on a line of its own, a line feed
 * at the end; equal allowlists give equal bytes in whatever order they were written. An empty allowlist gives
 * <code>"network_policies": {}</code>, which denies all egress. The largest document is under 65,536 bytes; a gateway
 * takes 262,144.
 *
 * <ul>
 *   <li>{@code filesystem_policy}: readable are paths that practically every image has, the workload's directory (the file
 *       itself where it stands directly below {@code /}), and what {@link SandboxProfile#withReadable} adds;
 *       {@code /workspace} and {@code /tmp} are writable.
 *   <li>{@code landlock}: a {@code hard_requirement}, so no sandbox starts without file system rules.
 *   <li>{@code process}: the {@link WorkloadUser} of the profile.
 *   <li>{@code network_policies}: one rule, the hosts and ports of the allowlist, for the workload's binary and what it
 *       starts.
 * </ul>
 *
 * A config touches nothing of this but the network rule and the workload's path.
 *
 * <h2>The file</h2>
 *
 * {@code <directory>/realm-<id>.policy.json}. A lone file that is mounted by itself (a bind mount) cannot be replaced
 * atomically; mount its directory instead.
 */
public final class PolicyDocuments {

    private static final Duration LEFT_BEHIND = Duration.ofHours(1);

    private PolicyDocuments() {
    }

    /**
     * Renders a policy for {@link SandboxProfile#standard()}.
     *
     * @param workloadBinary the first element of the workload, which alone, with what it starts, may use the allowlist
     * @throws RefusedException with {@link RefusedException.Code#POLICY_INVALID} for a binary that
     *         {@link RuntimeConfigLoader} would not take as {@code workloadArgv[0]}
     */
    public static PolicyDocument render(EgressAllowlist egressAllow, String workloadBinary) {
        return render(egressAllow, workloadBinary, SandboxProfile.standard());
    }

    /**
     * Renders a policy.
     *
     * @param workloadBinary the first element of the workload, which alone, with what it starts, may use the allowlist
     * @param profile whom the workload runs as, and what it may read besides the standard directories
     * @throws RefusedException with {@link RefusedException.Code#POLICY_INVALID} for a binary that
     *         {@link RuntimeConfigLoader} would not take as {@code workloadArgv[0]}
     */
    public static PolicyDocument render(EgressAllowlist egressAllow, String workloadBinary, SandboxProfile profile) {
        if (!WorkloadPath.isPlain(workloadBinary)) {
            throw RefusedException.of(RefusedException.Code.POLICY_INVALID, "policy",
                    Problem.of(Problem.Rule.WORKLOAD_BINARY, "", WorkloadPath.refusal(workloadBinary), ""));
        }
        return new PolicyDocument(egressAllow, workloadBinary,
                CanonicalJson.write(PolicySections.of(egressAllow, workloadBinary, profile)));
    }

    /**
     * Writes a policy durably. When this returns, the path names a regular file of mode 0600 from its first byte that holds
     * exactly these bytes and survives a power loss on a local POSIX file system. When it throws with
     * {@code committed() == false}, what stood there before is untouched. No reader and no crash ever sees a mix, a prefix
     * or an empty file. Not promised: network and user-space file systems, a disk that lies, root or our own user at work
     * in the directory.
     *
     * <p>Linux alone. The directory is resolved once, links and all. It is made, with mode 0700, if it is missing and its
     * parent exists; it must belong to us or root and not be writable by group or others, and no directory above it may
     * belong to anybody else or be world-writable without the sticky bit. (A Kubernetes {@code emptyDir} or
     * {@code fsGroup} volume is refused as it comes: make a 0700 directory in it.) Modes of existing directories are never
     * changed. At the target a regular file or a link is replaced, a link not followed, and anything else is refused.
     *
     * <p>Writers of the same session replace each other, each whole. A killed process leaves at most one file
     * {@code .<32 hex digits>.tmp}, of mode 0600, for {@link #sweep}. Each write that succeeds is an event
     * {@code io.github.openshellruntime.PolicyWrite} of the JDK Flight Recorder: path, size and SHA-256.
     *
     * @param directory for the policies of one dispatcher, best its own
     * @return the proof that {@link OpenShellArgv#create} wants
     * @throws PolicyWriteException for everything about the disk, and on an interrupted thread, whose flag stays set
     */
    public static WrittenPolicy write(Path directory, SessionId session, PolicyDocument document)
            throws PolicyWriteException {
        byte[] content = document.toBytes();
        Path asked = directory.toAbsolutePath().resolve(fileName(session));
        if (Thread.currentThread().isInterrupted()) {
            throw PolicyWriteException.untouched("an interrupted thread writes no policy", asked, null);
        }
        PolicyDirectory resolved = PolicyDirectory.resolve(directory, asked);
        Path target = resolved.path().resolve(fileName(session));
        resolved.requireTrustedAncestors(target);
        if (!resolved.exists()) {
            DurableFile.makeDirectory(resolved.path(), target);
        }
        resolved.requireTrusted(target);
        requireReplaceable(target);
        PolicyWriteEvent event = new PolicyWriteEvent();
        event.begin();
        DurableFile.write(target, content, resolved.ownUid());
        event.written(target, content.length, document);
        return new WrittenPolicy(session, target, document);
    }

    /** Where {@link #write} would put a policy. */
    static Path plannedPath(Path directory, SessionId session) throws PolicyWriteException {
        Path asked = directory.toAbsolutePath().resolve(fileName(session));
        return PolicyDirectory.resolve(directory, asked).path().resolve(fileName(session));
    }

    private static String fileName(SessionId session) {
        return session.sandboxName() + ".policy.json";
    }

    /** Whether a file, a link or nothing is there. */
    private static boolean requireReplaceable(Path target) throws PolicyWriteException {
        try {
            BasicFileAttributes seen =
                    Files.readAttributes(target, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!seen.isRegularFile() && !seen.isSymbolicLink()) {
                throw PolicyWriteException.untouched("a directory, FIFO, socket or device stands in the policy's place;"
                        + " remove it", target, null);
            }
            return true;
        } catch (NoSuchFileException e) {
            return false;
        } catch (PolicyWriteException e) {
            throw e;
        } catch (IOException e) {
            throw PolicyWriteException.untouched("cannot look at the policy's place", target, e);
        }
    }

    /**
     * Removes a policy, as its session's sandbox is gone.
     *
     * @return whether it was there
     * @throws PolicyWriteException as {@link #remove(Path, SessionId)}
     */
    public static boolean remove(WrittenPolicy policy) throws PolicyWriteException {
        return remove(policy.path());
    }

    /**
     * Removes the policy of a session: a regular file, or a link itself. Works on an interrupted thread. Nothing is forced
     * to the disk: after a power loss the file may be back.
     *
     * @return whether it was there; false when the directory is missing, too
     * @throws PolicyWriteException if something else than a file or a link stands there, or the disk refuses
     */
    public static boolean remove(Path directory, SessionId session) throws PolicyWriteException {
        Path asked = directory.toAbsolutePath().resolve(fileName(session));
        if (Files.notExists(directory)) {
            return false;
        }
        return remove(PolicyDirectory.resolve(directory, asked).path().resolve(fileName(session)));
    }

    private static boolean remove(Path target) throws PolicyWriteException {
        if (!requireReplaceable(target)) {
            return false;
        }
        try {
            return DurableFile.remove(target);
        } catch (IOException e) {
            throw PolicyWriteException.untouched("cannot remove the policy", target, e);
        }
    }

    /**
     * Removes what killed writers left in a directory: regular files of our own user that are named
     * {@code .<32 hex digits>.tmp} and were last modified over an hour ago. Nothing else is touched.
     *
     * @return the paths that were removed, sorted; empty for a missing directory
     * @throws PolicyWriteException if the disk refuses; {@code path()} is then the directory
     */
    public static List<Path> sweep(Path directory) throws PolicyWriteException {
        Path asked = directory.toAbsolutePath();
        if (Files.notExists(directory)) {
            return List.of();
        }
        PolicyDirectory resolved = PolicyDirectory.resolve(directory, asked);
        List<Path> removed = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(resolved.path(),
                entry -> DurableFile.TEMP_NAME.matcher(entry.getFileName().toString()).matches())) {
            for (Path entry : entries) {
                if (isLeftBehind(entry, resolved.ownUid()) && DurableFile.remove(entry)) {
                    removed.add(entry);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            throw PolicyWriteException.untouched("cannot sweep the directory", asked, e);
        }
        return removed.stream().sorted().toList();
    }

    private static boolean isLeftBehind(Path entry, int ownUid) throws IOException {
        try {
            Map<String, Object> seen =
                    Files.readAttributes(entry, "unix:isRegularFile,uid,lastModifiedTime", LinkOption.NOFOLLOW_LINKS);
            Instant modified = ((FileTime) seen.get("lastModifiedTime")).toInstant();
            return (Boolean) seen.get("isRegularFile") && (Integer) seen.get("uid") == ownUid
                    && modified.isBefore(Instant.now().minus(LEFT_BEHIND));
        } catch (NoSuchFileException e) {
            // Another sweep was here.
            return false;
        }
    }
}
