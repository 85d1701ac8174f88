// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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
 * A config decides nothing of this but the network rule and the workload's path.
 *
 * <h2>The file</h2>
 *
 * {@code <directory>/realm-<id>.policy.json}. A file that is bind-mounted by itself cannot be replaced atomically; mount its
 * directory instead.
 */
public final class PolicyDocuments {

    private PolicyDocuments() {
    }

    /**
     * Renders a policy for {@link SandboxProfile#standard()}.
     *
     * @param workloadBinary the first element of the workload; only it and what it starts may use the allowlist
     * @throws RefusedException with {@link RefusedException.Code#POLICY_INVALID} for a binary that
     *         {@link RuntimeConfigLoader} would not take as {@code workloadArgv[0]}
     */
    public static PolicyDocument render(EgressAllowlist egressAllow, String workloadBinary) {
        return render(egressAllow, workloadBinary, SandboxProfile.standard());
    }

    /**
     * Renders a policy.
     *
     * @param workloadBinary the first element of the workload; only it and what it starts may use the allowlist
     * @param profile the workload's user, and what it may read besides the standard directories
     * @throws RefusedException with {@link RefusedException.Code#POLICY_INVALID} for a binary that
     *         {@link RuntimeConfigLoader} would not take as {@code workloadArgv[0]}
     */
    public static PolicyDocument render(EgressAllowlist egressAllow, String workloadBinary, SandboxProfile profile) {
        if (!PolicyPath.isPlain(workloadBinary)) {
            throw RefusedException.of(RefusedException.Code.POLICY_INVALID, "policy",
                    Problem.of(Problem.Rule.WORKLOAD_BINARY, "", PolicyPath.refusal(workloadBinary), ""));
        }
        return new PolicyDocument(egressAllow, workloadBinary,
                JsonWriter.write(PolicySections.of(egressAllow, workloadBinary, profile)));
    }

    /**
     * Writes a policy durably. When this returns, the path names a regular file of mode 0600 from its first byte that holds
     * exactly these bytes and survives a power loss on a local POSIX file system. When it throws with
     * {@code committed() == false}, what stood there before is untouched. No reader and no crash ever sees a mix, a prefix
     * or an empty file. Nothing is promised for network and user-space file systems or disks that lie about writes. Nor is
     * anything against root, this process's user, or a group that may write a directory above and so replace the one below.
     *
     * <p>Linux only, on its default file system. Links in the directory's path are resolved once. A missing directory is
     * made, with mode 0700, if its parent exists. The directory must belong to this process's user or to root, and neither
     * its group nor others may write it; each directory above must belong to one of the two as well, and have the sticky
     * bit if everybody may write it. Modes of existing directories are never changed. So a Kubernetes {@code emptyDir}, mode
     * 0777, is refused as it comes, and so is a directory in it; an {@code fsGroup} volume is refused because its group may
     * write it, but a 0700 directory in it is taken. Give the dispatcher a 0700 directory of its own, such as one in its
     * image.
     *
     * <p>A regular file or a link in the policy's place is replaced (the link is not followed); anything else there is
     * refused. Writers of the same session replace each other's file as a whole. A killed process leaves at most one file
     * {@code .<32 hex digits>.tmp}, of mode 0600, for {@link #sweep}. Each write that succeeds is an event
     * {@code io.github.openshellruntime.PolicyWrite} of the JDK Flight Recorder, with the fields {@code path}, {@code size}
     * (in bytes) and {@code sha256}.
     *
     * @param directory absolute, for the policies of one dispatcher
     * @return the proof that {@link OpenShellArgv#create} wants
     * @throws PolicyWriteException if anything about the disk fails or is refused, and on an interrupted thread, whose flag
     *         stays set
     * @throws IllegalArgumentException for a relative directory
     */
    public static WrittenPolicy write(Path directory, SessionId session, PolicyDocument document)
            throws PolicyWriteException {
        PolicyOperation writing = PolicyOperation.onPolicy("writing the policy", directory, session);
        byte[] content = document.toBytes();
        PolicyDirectory policies = PolicyDirectory.resolve(directory, writing);
        if (Thread.currentThread().isInterrupted()) {
            throw writing.failed(PolicyOperation.INTERRUPTED, null);
        }
        policies.makeTrusted();
        Path target = policies.file(session);
        policies.requireReplaceable(target);
        EventPolicyWrite event = new EventPolicyWrite();
        event.begin();
        DurableFile.write(target, content, policies.ownUid(), writing);
        event.written(target, content.length, document);
        return new WrittenPolicy(session, target, document);
    }

    /** Where {@link #write} would put a policy. */
    static Path plannedPath(Path directory, SessionId session) throws PolicyWriteException {
        PolicyOperation planning = PolicyOperation.onPolicy("planning the policy", directory, session);
        return PolicyDirectory.resolve(directory, planning).file(session);
    }

    /**
     * Removes a policy after its sandbox is gone.
     *
     * @return whether it was there
     * @throws PolicyWriteException as {@link #remove(Path, SessionId)}
     */
    public static boolean remove(WrittenPolicy policy) throws PolicyWriteException {
        return remove(policy.path().getParent(), policy.session());
    }

    /**
     * Removes the policy of a session: a regular file, or a link itself. The directory is resolved as {@link #write} does.
     * Works on an interrupted thread. Nothing is forced to the disk: after a power loss the file may be back.
     *
     * @return whether it was there; false when the directory is missing, too
     * @throws PolicyWriteException if something else than a file or a link stands there, or the disk refuses;
     *         {@code committed()} is false
     * @throws IllegalArgumentException for a relative directory
     */
    public static boolean remove(Path directory, SessionId session) throws PolicyWriteException {
        PolicyOperation removing = PolicyOperation.onPolicy("removing the policy", directory, session);
        Optional<PolicyDirectory> policies = PolicyDirectory.existing(directory, removing);
        if (policies.isEmpty()) {
            return false;
        }
        Path target = policies.get().file(session);
        return policies.get().requireReplaceable(target) && DurableFile.remove(target, removing);
    }

    /**
     * Removes what killed writers left in a directory: regular files of this process's user that are named
     * {@code .<32 hex digits>.tmp} and were last modified over an hour ago. Nothing else is touched.
     *
     * @return the paths that were removed, sorted; empty for a missing directory
     * @throws PolicyWriteException if the disk refuses; {@code path()} is then the directory, {@code committed()} false
     * @throws IllegalArgumentException for a relative directory
     */
    public static List<Path> sweep(Path directory) throws PolicyWriteException {
        PolicyOperation sweeping = PolicyOperation.onDirectory("sweeping the directory", directory);
        Optional<PolicyDirectory> policies = PolicyDirectory.existing(directory, sweeping);
        return policies.isEmpty() ? List.of()
                : DurableFile.sweep(policies.get().entries(), policies.get().ownUid(), sweeping);
    }

    /** The sessions that have a policy in a directory, unmodifiable; none where it is missing. */
    static Set<SessionId> sessions(Path directory) throws PolicyWriteException {
        PolicyOperation listing = PolicyOperation.onDirectory("listing the policies", directory);
        Optional<PolicyDirectory> policies = PolicyDirectory.existing(directory, listing);
        return policies.isEmpty() ? Set.of() : policies.get().sessions();
    }
}
