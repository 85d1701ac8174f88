// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The sections of a policy, as maps and lists in the order in which they are written. */
final class PolicySections {

    // Only what practically every image has: where Landlock is a hard requirement, OpenShell 0.0.111 does not start a
    // sandbox whose image lacks one of these. Alpine and arm64 have no /lib64, most images no /app.
    private static final List<String> READ_ONLY =
            List.of("/bin", "/sbin", "/usr", "/lib", "/etc", "/opt", "/proc", "/dev/urandom", "/dev/zero");
    private static final List<String> READ_WRITE = List.of("/workspace", "/tmp", "/dev/null");

    private PolicySections() {
    }

    static Map<String, Object> of(EgressAllowlist egressAllow, String workloadBinary, SandboxProfile profile) {
        Map<String, Object> fileSystem = new LinkedHashMap<>();
        fileSystem.put("include_workdir", true);
        fileSystem.put("read_only", readOnly(workloadBinary, profile.readable()));
        fileSystem.put("read_write", READ_WRITE);
        Map<String, Object> policy = new LinkedHashMap<>();
        policy.put("version", 1);
        policy.put("filesystem_policy", fileSystem);
        policy.put("landlock", Map.of("compatibility", "hard_requirement"));
        policy.put("process", profile.user().section());
        policy.put("network_policies", network(egressAllow, workloadBinary));
        return policy;
    }

    /** The standard paths, the workload's directory, the profile's directories; none inside another. */
    private static List<String> readOnly(String workloadBinary, List<String> profile) {
        List<String> readOnly = new ArrayList<>(READ_ONLY);
        // A container whose workload cannot be read exits with "Permission denied".
        String workload = directoryOf(workloadBinary);
        if (!PolicyPath.isCovered(workload, profile)) {
            addUncovered(readOnly, workload);
        }
        profile.forEach(directory -> addUncovered(readOnly, directory));
        return readOnly;
    }

    private static void addUncovered(List<String> readOnly, String path) {
        if (!PolicyPath.isCovered(path, readOnly) && !PolicyPath.isCovered(path, READ_WRITE)) {
            readOnly.add(path);
        }
    }

    /** The file itself directly below the root: making the root readable would show the whole image. */
    private static String directoryOf(String workloadBinary) {
        int slash = workloadBinary.lastIndexOf('/');
        return slash == 0 ? workloadBinary : workloadBinary.substring(0, slash);
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
}
