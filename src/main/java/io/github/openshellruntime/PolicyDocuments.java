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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Renders the policy of a realm and puts it on the disk. All methods are static and thread-safe; {@link #render} does no
 * I/O, the others block on the disk.
 *
 * <h2>The document</h2>
 *
 * Canonical JSON, which is YAML too: ASCII, two spaces a level, every member and element on a line of its own, a line feed
 * at the end; equal allowlists give equal bytes in whatever order they were written. An empty allowlist gives
 * <code>"network_policies": {}</code>, which denies everything. The largest document is below 50,000 bytes; a gateway
 * takes 262,144.
 *
 * <p>All but the network section and the user is fixed, and neither config nor allowlist can touch it: a file system
 * section with paths that practically every image has, {@code /workspace} and {@code /tmp} writable, Landlock as a
 * {@code hard_requirement}. The network section has one rule: the hosts and ports of the allowlist, for the workload's
 * binary and what it starts.
 *
 * <h2>The file</h2>
 *
 * {@code <directory>/realm-<id>.policy.json}. A lone file that is mounted by itself (a bind mount) cannot be replaced
 * atomically; mount its directory instead.
 */
public final class PolicyDocuments {

    private static final List<String> READ_ONLY =
            List.of("/bin", "/sbin", "/usr", "/lib", "/etc", "/opt", "/proc", "/dev/urandom", "/dev/zero");
    private static final List<String> READ_WRITE = List.of("/workspace", "/tmp", "/dev/null");
    private static final Duration LEFT_BEHIND = Duration.ofHours(1);

    private PolicyDocuments() {
    }

    /**
     * Renders a policy for {@link WorkloadUser#standard()}.
     *
     * @param workloadBinary the first element of the workload, which alone, with what it starts, may use the allowlist
     * @throws RefusedException with {@link RefusedException.Code#POLICY_INVALID} for a binary that
     *         {@link RuntimeConfigLoader} would not take as {@code workloadArgv[0]}
     */
    public static PolicyDocument render(EgressAllowlist egressAllow, String workloadBinary) {
        return render(egressAllow, workloadBinary, WorkloadUser.standard());
    }

    /**
     * Renders a policy.
     *
     * @param workloadBinary the first element of the workload, which alone, with what it starts, may use the allowlist
     * @param user whom the workload runs as; see {@link WorkloadUser} for which image wants which
     * @throws RefusedException with {@link RefusedException.Code#POLICY_INVALID} for a binary that
     *         {@link RuntimeConfigLoader} would not take as {@code workloadArgv[0]}
     */
    public static PolicyDocument render(EgressAllowlist egressAllow, String workloadBinary, WorkloadUser user) {
        if (!WorkloadPath.isPlain(workloadBinary)) {
            throw RefusedException.of(RefusedException.Code.POLICY_INVALID, "policy",
                    Problem.of(Problem.Rule.WORKLOAD_BINARY, "", WorkloadPath.refusal(workloadBinary), ""));
        }
        Map<String, Object> fileSystem = new LinkedHashMap<>();
        fileSystem.put("include_workdir", true);
        fileSystem.put("read_only", READ_ONLY);
        fileSystem.put("read_write", READ_WRITE);
        Map<String, Object> policy = new LinkedHashMap<>();
        policy.put("version", 1);
        policy.put("filesystem_policy", fileSystem);
        policy.put("landlock", Map.of("compatibility", "hard_requirement"));
        policy.put("process", user.section());
        policy.put("network_policies", network(egressAllow, workloadBinary));
        return new PolicyDocument(egressAllow, workloadBinary, CanonicalJson.write(policy));
    }

    private static Map<String, Object> network(EgressAllowlist egressAllow, String workloadBinary) {
        if (egressAllow.isEmpty()) {
            return Map.of();
        }
        Map<String, List<Integer>> ports = new TreeMap<>();
        for (EgressRule rule : egressAllow.rules()) {
            ports.computeIfAbsent(rule.host(), host -> new ArrayList<>()).add(rule.port());
        }
        List<Map<String, Object>> endpoints = new ArrayList<>();
        ports.forEach((host, sorted) -> {
            Map<String, Object> endpoint = new LinkedHashMap<>();
            endpoint.put("host", host);
            endpoint.put("ports", sorted);
            endpoints.add(endpoint);
        });
        Map<String, Object> rule = new LinkedHashMap<>();
        rule.put("name", "workload-egress");
        rule.put("endpoints", endpoints);
        rule.put("binaries", List.of(Map.of("path", workloadBinary)));
        return Map.of("workload_egress", rule);
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
