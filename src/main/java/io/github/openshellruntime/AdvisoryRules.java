// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.Advisory.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Finds what is allowed in a config but probably not meant. */
final class AdvisoryRules {

    private static final Set<String> SHELLS =
            Set.of("sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "busybox");
    private static final Set<String> WRAPPERS =
            Set.of("env", "nohup", "nice", "ionice", "setpriv", "setsid", "stdbuf", "chrt", "taskset");
    private static final List<String> SCRIPTS =
            List.of(".sh", ".bash", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua");
    /** Links to those under {@code /usr} in an image that has them merged. */
    private static final Set<String> LINKED = Set.of("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32");
    private static final Set<Integer> SERVER_SPEAKS_FIRST = Set.of(22, 25, 3306);

    private final List<Advisory> found = new ArrayList<>();

    private AdvisoryRules() {
    }

    static List<Advisory> of(RuntimeConfig config) {
        AdvisoryRules advisories = new AdvisoryRules();
        advisories.workload(config.workloadArgv().get(0), !config.egressAllow().isEmpty());
        advisories.egress(config.egressAllow());
        if (config.image().filter(image -> image.indexOf('@') < 0).isPresent()) {
            advisories.add(Code.IMAGE_WITHOUT_DIGEST, "/image",
                    "the image has no digest, so what runs can change under the same name");
        }
        if (config.owner().isEmpty()) {
            advisories.add(Code.NO_OWNER, "/owner",
                    "without an owner every managed realm of the gateway counts as this dispatcher's, which can reap it, and"
                    + " another can reap these");
        }
        return List.copyOf(advisories.found);
    }

    private void workload(String path, boolean egress) {
        String pointer = "/workloadArgv/0";
        String name = path.substring(path.lastIndexOf('/') + 1);
        String top = path.substring(0, Math.max(0, path.indexOf('/', 1)));
        if (egress && LINKED.contains(top)) {
            add(Code.WORKLOAD_UNDER_LINKED_DIRECTORY, pointer, "on images with a merged /usr this directory is a link, and a"
                    + " sandbox that is ready then denies all egress; write /usr" + top + " if the image has it so");
        }
        if (SHELLS.contains(name)) {
            add(Code.WORKLOAD_IS_A_SHELL, pointer,
                    "everything that a shell starts inherits its egress, and what it becomes by exec loses it");
        }
        if (WRAPPERS.contains(name)) {
            add(Code.WORKLOAD_IS_A_WRAPPER, pointer, name + " becomes another program, which the allowlist is not for");
        }
        if (SCRIPTS.stream().anyMatch(name::endsWith)) {
            add(Code.WORKLOAD_IS_A_SCRIPT, pointer,
                    "OpenShell sees the interpreter of a script, which the allowlist is not for");
        }
        if (path.startsWith("/workspace/") || path.startsWith("/tmp/")) {
            add(Code.WORKLOAD_IS_WRITABLE, pointer,
                    "what runs in the sandbox can replace this program before OpenShell first looks at it");
        }
        if (egress && (name.equals("java") || path.contains("/jvm/"))) {
            add(Code.WORKLOAD_IS_A_JVM, pointer,
                    "OpenShell terminates TLS with a CA of its own, which the trust store of a JVM does not know");
        }
    }

    private void egress(EgressAllowlist egress) {
        for (int i = 0; i < egress.asWritten().size(); i++) {
            EgressRule rule = egress.asWritten().get(i);
            if (rule.host().startsWith("*.")) {
                add(Code.EGRESS_WILDCARD, "/egressAllow/" + i,
                        "under a wildcard the labels of DNS queries are a way out for data");
            }
            if (SERVER_SPEAKS_FIRST.contains(rule.port())) {
                add(Code.EGRESS_SERVER_SPEAKS_FIRST, "/egressAllow/" + i, "on port " + rule.port()
                        + " the server speaks first, and OpenShell waits for the client, so both stall");
            }
        }
    }

    private void add(Code code, String pointer, String message) {
        found.add(new Advisory(code, pointer, message));
    }
}
