// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The user that a workload runs as in its sandbox: the {@code process} section of the policy. The embedding program
 * chooses it, in its {@link SandboxProfile}; a config never does. Never root. Immutable and thread-safe; equal when the
 * section is the same.
 *
 * <p>The table was tried by hand, on OpenShell 0.0.111 and the pre-release 0.0.112-dev, with Docker and images made from
 * Debian 12. The most common case stands first:
 *
 * <table>
 * <caption>What a sandbox does</caption>
 * <thead><tr><th scope="col">image<th scope="col">{@link #standard()}<th scope="col">{@link #sandboxAccount()}
 *   <th scope="col">{@link #imageUser()}<th scope="col">shown on</tr></thead>
 * <tbody>
 * <tr><th scope="row">a {@code WORKDIR} that the workload's user cannot write, such as {@code WORKDIR /app} made by root
 *   <td colspan="3">does not start, whatever the policy says: have no {@code WORKDIR}, or {@code chown} it to the
 *   user<td>0.0.112-dev</tr>
 * <tr><th scope="row">no {@code USER}<td>ready<td>does not start: no such account<td>does not start: the image names no
 *   user (documentation of 0.1.x: falls back to 1000)<td>0.0.111</tr>
 * <tr><th scope="row">{@code USER root}<td>ready, as 1000<td>if the account is there<td>does not start: root<td>0.0.111</tr>
 * <tr><th scope="row">an account {@code sandbox}, no {@code USER}<td>ready<td>ready<td>does not start: the image names no
 *   user<td>0.0.111</tr>
 * <tr><th scope="row">{@code USER sandbox} and a {@code WORKDIR} that it owns<td>does not start: 1000 cannot write the
 *   {@code WORKDIR}<td>ready<td>ready<td>0.0.111</tr>
 * <tr><th scope="row">{@code USER 1000} and a {@code WORKDIR} that it owns<td>ready<td>not tried<td>ready<td>one of the
 *   two, not noted which</tr>
 * <tr><th scope="row">no {@code ip} in a standard directory<td colspan="3">does not start: install {@code iproute2}<td>one
 *   of the two, not noted which</tr>
 * <tr><th scope="row">a {@code /workspace} that root owns<td colspan="3">starts, but the workload cannot write it: leave it
 *   out of the image, then OpenShell makes it for the user, or {@code chown} it<td>one of the two, not noted which</tr>
 * <tr><th scope="row">any<td>root's group 0 stays a supplementary group, as with every numeric user<td>not tried<td>not
 *   tried<td>one of the two, not noted which</tr>
 * </tbody>
 * </table>
 *
 * Most images, a plain Ubuntu included, have no account {@code sandbox}. {@code /workspace} is made for the user where the
 * image lacks it (0.0.111).
 */
public final class WorkloadUser {

    private static final long MAX_ID = 4_294_967_294L;

    private static final WorkloadUser STANDARD = of(1000, 1000);
    private static final WorkloadUser SANDBOX_ACCOUNT = new WorkloadUser(section("sandbox", "sandbox"));
    private static final WorkloadUser IMAGE_USER = new WorkloadUser(Map.of());

    private final Map<String, String> section;

    private WorkloadUser(Map<String, String> section) {
        this.section = section;
    }

    private static Map<String, String> section(String user, String group) {
        Map<String, String> section = new LinkedHashMap<>();
        section.put("run_as_user", user);
        section.put("run_as_group", group);
        return section;
    }

    /** Returns user 1000 and group 1000, which need no account in the image: right for most images. */
    public static WorkloadUser standard() {
        return STANDARD;
    }

    /**
     * Returns a user and a group by number; the image needs no account for them.
     *
     * @param uid 1 to 4,294,967,294
     * @param gid 1 to 4,294,967,294
     * @throws IllegalArgumentException for a number out of range, 0 (root) among them
     */
    public static WorkloadUser of(long uid, long gid) {
        return new WorkloadUser(section(id(uid), id(gid)));
    }

    private static String id(long id) {
        if (id < 1 || id > MAX_ID) {
            throw new IllegalArgumentException("a user or group id is 1 to " + MAX_ID + ", never root; got " + id);
        }
        return Long.toString(id);
    }

    /** Returns the account {@code sandbox} for both: for gateways of virtual machines, and images that have it. */
    public static WorkloadUser sandboxAccount() {
        return SANDBOX_ACCOUNT;
    }

    /** Returns the image's own {@code USER}: for images with one that is not root and owns its {@code WORKDIR}. */
    public static WorkloadUser imageUser() {
        return IMAGE_USER;
    }

    /** The members of the policy's {@code process} section, in their order. */
    Map<String, String> section() {
        return section;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof WorkloadUser that && section.equals(that.section);
    }

    @Override
    public int hashCode() {
        return section.hashCode();
    }

    /** Returns {@code user:group}, or {@code image user}. */
    @Override
    public String toString() {
        return section.isEmpty() ? "image user" : String.join(":", section.values());
    }
}
