// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("LaunchPlan")
class LaunchPlanTest {

    private static final SessionId SESSION = SessionId.of("s-1");

    private static RuntimeConfig config() {
        return RuntimeConfig.builder(List.of("/usr/bin/agent", "--token", "Zq7_Tr0ub4dor", "é")).owner("d-1").gateway("g")
                .workspace("w").image("a/b:1").egressAllow(List.of("api.example.com")).build();
    }

    private static void assertComesTrue(Path directory, SandboxProfile profile) throws Exception {
        LaunchPlan plan = LaunchPlan.of(config(), SESSION, directory, profile);
        boolean existed = Files.exists(directory);

        WrittenPolicy policy = PolicyDocuments.write(directory, SESSION,
                PolicyDocuments.render(config().egressAllow(), "/usr/bin/agent", profile));

        assertThat(existed || !plan.policyPath().startsWith(directory)).isTrue();
        assertThat(policy.path()).isEqualTo(plan.policyPath());
        assertThat(Files.readString(policy.path())).isEqualTo(plan.policyJson());
        assertThat(policy.sha256()).isEqualTo(plan.policySha256());
        assertThat(OpenShellArgv.create(policy, config()).asList()).isEqualTo(plan.createArgv());
    }

    @Test
    @DisplayName("RT-07 what write and create do is what the plan said: a directory that exists, through links, and one to be made")
    void plan_comesTrue(@TempDir Path dir) throws Exception {
        Path real = dir.toRealPath();
        Path link = Files.createSymbolicLink(dir.resolve("link"), Files.createDirectory(dir.resolve("real")));
        for (SandboxProfile profile : List.of(SandboxProfile.standard(),
                SandboxProfile.standard().withUser(WorkloadUser.imageUser()).withReadable("/models"))) {
            assertComesTrue(real, profile);
            assertComesTrue(link, profile);
        }
        LaunchPlan planned = LaunchPlan.of(config(), SESSION, link.resolve("made"));
        assertThat(real.resolve("real/made")).doesNotExist();
        WrittenPolicy policy = PolicyDocuments.write(link.resolve("made"), SESSION,
                PolicyDocuments.render(config().egressAllow(), "/usr/bin/agent"));
        assertThat(policy.path()).isEqualTo(planned.policyPath()).isEqualTo(real.resolve("real/made/realm-s-1.policy.json"));
        assertThat(OpenShellArgv.create(policy, config()).asList()).isEqualTo(planned.createArgv());
        assertThat(Files.readString(policy.path())).isEqualTo(planned.policyJson());
    }

    @Test
    @DisplayName("RT-07 a plan writes nothing, and says why when a directory cannot be resolved")
    void plan_writesNothing(@TempDir Path dir) throws Exception {
        LaunchPlan.of(config(), SESSION, dir);
        LaunchPlan.of(config(), SESSION, dir.resolve("made"));

        assertThat(dir).isEmptyDirectory();
        assertThatThrownBy(() -> LaunchPlan.of(config(), SESSION, dir.resolve("no/parent")))
                .isInstanceOf(PolicyWriteException.class);
    }

    @Test
    @DisplayName("AUD-02 the environment names are all that verify may set")
    void environment_isComplete(@TempDir Path dir) throws Exception {
        Map<String, String> host = new HashMap<>(Map.of("PATH", "/usr/bin", "HOME", "/h", "XDG_CONFIG_HOME", "/x", "SECRET", "s"));

        assertThat(LaunchPlan.of(config(), SESSION, dir).environmentNames())
                .isEqualTo(new TreeSet<>(OpenShellEnvironment.of(config(), host).asMap().keySet()))
                .containsExactly("HOME", "NO_COLOR", "OPENSHELL_COLOR", "OPENSHELL_GATEWAY", "OPENSHELL_NO_BROWSER",
                        "OPENSHELL_PROVISION_TIMEOUT", "OPENSHELL_TELEMETRY_ENABLED", "OPENSHELL_WORKSPACE", "PATH", "RUST_LOG",
                        "TERM", "XDG_CONFIG_HOME");
        assertThat(LaunchPlan.of(RuntimeConfig.builder(List.of("/a")).build(), SESSION, dir).environmentNames())
                .doesNotContain("OPENSHELL_GATEWAY", "OPENSHELL_WORKSPACE").hasSize(10);
    }

    @Test
    @DisplayName("AUD-02 toString is for a human and has no argument; toJson is for an audit log and has all of it")
    void texts(@TempDir Path dir) throws Exception {
        LaunchPlan plan = LaunchPlan.of(config(), SESSION, dir);

        assertThat(plan.toString()).contains("realm-s-1", plan.policyPath().toString(), plan.policySha256(), "/usr/bin/agent",
                "api.example.com:443", "OPENSHELL_GATEWAY").doesNotContain("Zq7_", "--token");
        assertThat(LaunchPlan.of(RuntimeConfig.builder(List.of("/a")).build(), SESSION, dir).toString()).contains("egress       none");
        JsonNode json = Cases.parse(plan.toJson());
        assertThat(json.properties()).extracting(Map.Entry::getKey).containsExactly("session", "policyPath", "policySha256",
                "policyJson", "createArgv", "environmentNames");
        assertThat(json.get("session").asText()).isEqualTo("s-1");
        assertThat(json.get("policyPath").asText()).isEqualTo(plan.policyPath().toString());
        assertThat(json.get("policyJson").asText()).isEqualTo(plan.policyJson());
        assertThat(json.get("policySha256").asText()).isEqualTo(plan.policySha256());
        assertThat(json.get("createArgv")).extracting(JsonNode::asText).containsExactlyElementsOf(plan.createArgv());
        assertThat(json.get("environmentNames")).extracting(JsonNode::asText).containsExactlyElementsOf(plan.environmentNames());
        assertThat(plan.toJson()).matches("[ -~\\n]*").endsWith("}\n");
        assertThat(plan).isEqualTo(LaunchPlan.of(config(), SESSION, dir)).hasSameHashCodeAs(LaunchPlan.of(config(), SESSION, dir))
                .isNotEqualTo(LaunchPlan.of(config(), SessionId.of("other"), dir)).isNotEqualTo("x");
    }
}
