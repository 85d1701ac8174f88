// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What only the embedding program chooses about a sandbox, never a config: the user that the workload runs as, and
 * directories that it may read besides the standard ones. Immutable and thread-safe; equal when both are.
 *
 * <p>Always readable are {@code /bin}, {@code /sbin}, {@code /usr}, {@code /lib}, {@code /etc}, {@code /opt},
 * {@code /proc} and the workload's own directory (of a workload directly below {@code /}, the file alone); {@code /workspace} and {@code /tmp} are writable, too. An agent that
 * keeps its program or its data elsewhere, such as in {@code /app} or {@code /models}, needs these listed here.
 */
public final class SandboxProfile {

    private static final int MAX_DIRECTORIES = 32;
    private static final int MAX_BYTES = 255;

    /** Kernel interfaces, run-time state, OpenShell's own files and root's home are never made readable. */
    private static final List<String> NEVER =
            List.of("/proc", "/sys", "/dev", "/run", "/var/run", "/.openshell", "/root");

    private static final SandboxProfile STANDARD = new SandboxProfile(WorkloadUser.standard(), List.of());

    private final WorkloadUser user;
    private final List<String> readable;

    private SandboxProfile(WorkloadUser user, List<String> readable) {
        this.user = user;
        this.readable = readable;
    }

    /** Returns the profile of {@link WorkloadUser#standard()} without further directories. */
    public static SandboxProfile standard() {
        return STANDARD;
    }

    /** Returns this profile with another user. */
    public SandboxProfile withUser(WorkloadUser other) {
        return new SandboxProfile(Objects.requireNonNull(other), readable);
    }

    /**
     * Returns this profile with more directories that the workload may read, and everything below them. A second call
     * adds to the first. Each directory must exist in the image: OpenShell 0.0.111 does not start a sandbox that lacks
     * one (documentation of 0.1.3: it goes without). A directory in a standard one or in the workload's own is readable
     * anyway: it is accepted here and left out of the policy.
     *
     * @param directories absolute paths of at most 255 bytes, at most 32 in the whole profile: segments of {@code !} to
     *        {@code ~}, no {@code //}, no {@code .} or {@code ..} segment, no {@code /} at the end, none of
     *        <code>* ? [ ] { } \ "</code>; not {@code /}, and not {@code /proc}, {@code /sys}, {@code /dev}, {@code /run},
     *        {@code /var/run}, {@code /.openshell}, {@code /root} nor below; none the same as another of the profile or
     *        below it. A directory above one of these is taken, {@code /var} too
     * @throws IllegalArgumentException for any other directory, and for too many
     */
    public SandboxProfile withReadable(String... directories) {
        List<String> all = new ArrayList<>(readable);
        for (String directory : directories) {
            if (all.size() == MAX_DIRECTORIES) {
                throw new IllegalArgumentException("a profile takes at most " + MAX_DIRECTORIES
                        + " readable directories; name a directory above some of them");
            }
            requireReadable(directory);
            all.forEach(other -> requireApart(directory, other));
            all.add(directory);
        }
        return new SandboxProfile(user, all.stream().sorted().toList());
    }

    private static void requireReadable(String directory) {
        if (directory.length() > MAX_BYTES || !PolicyPath.hasPlainForm(directory)) {
            throw new IllegalArgumentException("a readable directory must be a plain absolute path such as /app: "
                    + PolicyPath.PLAIN_FORM + ", at most " + MAX_BYTES + " bytes" + PolicyPath.shown(directory));
        }
        if (PolicyPath.isCovered(directory, NEVER)) {
            throw new IllegalArgumentException("a readable directory must not be " + String.join(", ", NEVER)
                    + " nor below; keep what the workload reads elsewhere" + PolicyPath.shown(directory));
        }
    }

    private static void requireApart(String one, String other) {
        if (PolicyPath.isCovered(one, List.of(other)) || PolicyPath.isCovered(other, List.of(one))) {
            throw new IllegalArgumentException("a readable directory must be neither another of the profile nor below it;"
                    + " name the upper one alone, once" + PolicyPath.shown(one));
        }
    }

    /** Returns the user that the workload runs as. */
    public WorkloadUser user() {
        return user;
    }

    /** Returns the directories of {@link #withReadable}, sorted; unmodifiable. */
    public List<String> readable() {
        return readable;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SandboxProfile that && user.equals(that.user) && readable.equals(that.readable);
    }

    @Override
    public int hashCode() {
        return 31 * user.hashCode() + readable.hashCode();
    }

    /** Returns the user and the directories. */
    @Override
    public String toString() {
        return "SandboxProfile[user=" + user + ", readable=" + readable + "]";
    }
}
