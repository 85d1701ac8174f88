// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.openshellruntime.RealmState.PolicyInForce;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Part 1: what a config file becomes at a gateway. */
@DisplayName("Contract 1: create")
class ContractCreateTest extends ContractSuite {

    private static final List<String> COMMAND = List.of("/usr/bin/agent", "a b", "", "'", "\"", "$HOME `id` $(id)", "line\nline",
            "\u00e9\u65e5", "-x", "--env", "--env=A=b", "--", "*");

    private RuntimeConfig load(String... members) throws Exception {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("workloadArgv", COMMAND);
        for (int i = 0; i < members.length; i += 2) {
            document.put(members[i], Cases.parse(members[i + 1]));
        }
        Path file = home.resolve("runtime.json");
        Files.write(file, new ObjectMapper().writeValueAsBytes(document));
        return RuntimeConfigLoader.standard().load(file);
    }

    private JsonNode created(SessionId session, RuntimeConfig config) throws Exception {
        OpenShellRunOutcome outcome = openShell.create(session, config);
        assertThat(outcome.exitCode()).as(outcome.stderr().text()).isZero();
        List<JsonNode> requests = openShell.requests("CreateSandbox");
        assertThat(requests).hasSize(1);
        return requests.get(0);
    }

    private void assertPolicy(JsonNode seen, RuntimeConfig config) throws Exception {
        PolicyDocument document = PolicyDocuments.render(config.egressAllow(), config.workloadArgv().get(0));
        SessionId session = SessionId.fromSandboxName(openShell.requests("CreateSandbox").get(0).get("name").asText());
        assertThat(RealmState.of(openShell.run(OpenShellArgv.get(session))).policy(document)).isEqualTo(PolicyInForce.SAME);
        JsonNode rendered = Cases.parse(document.json());
        // The reader of 0.0.111 writes the first port into an older field as well.
        seen.path("network_policies").path("workload_egress").path("endpoints").forEach(endpoint -> {
            assertThat(endpoint.get("port")).isEqualTo(endpoint.get("ports").get(0));
            ((ObjectNode) endpoint).remove("port");
        });
        assertThat(RealOpenShell.normalised(seen)).isEqualTo(RealOpenShell.normalised(rendered));
    }

    @Test
    @DisplayName("RT-03, RT-07 the gateway sees our name, labels, image, command and policy, and nothing more; empty allowlist")
    void create_withAnEmptyAllowlist() throws Exception {
        RuntimeConfig config = load("owner", "\"d-1\"", "image", "\"registry.example.com/team/agent:1\"");
        JsonNode seen = created(SessionId.of("abcdefghijklm"), config);

        assertThat(names(seen)).containsExactlyInAnyOrder("name", "labels", "spec", "workspace");
        assertThat(seen.get("name").asText()).isEqualTo("realm-abcdefghijklm");
        assertThat(seen.get("labels")).isEqualTo(Cases.parse("{\"managed-by\":\"openshell-runtime\",\"owner\":\"d-1\"}"));
        assertThat(seen.get("workspace").asText()).isEqualTo("default");
        JsonNode spec = seen.get("spec");
        assertThat(names(spec)).containsExactlyInAnyOrder("template", "policy", "command");
        assertThat(spec.get("template")).isEqualTo(Cases.parse("{\"image\":\"registry.example.com/team/agent:1\"}"));
        List<String> command = new ArrayList<>();
        spec.get("command").forEach(argument -> command.add(argument.asText()));
        assertThat(command).isEqualTo(COMMAND);
        assertPolicy(spec.get("policy"), config);
    }

    private static List<String> names(JsonNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    @Test
    @DisplayName("RT-05, RT-07 a full allowlist arrives in every field; nothing that is optional is made up")
    void create_withAFullAllowlist() throws Exception {
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < 128; i++) {
            entries.add("\"" + (i % 3 == 0 ? "*." : "") + "h" + i / 2 + ".example.com:" + (443 + i % 2) + "\"");
        }
        RuntimeConfig config = load("egressAllow", entries.toString());
        JsonNode seen = created(SessionId.of("b"), config);

        assertThat(seen.get("labels")).isEqualTo(Cases.parse("{\"managed-by\":\"openshell-runtime\"}"));
        assertThat(names(seen.get("spec"))).containsExactlyInAnyOrder("policy", "command");
        assertPolicy(seen.get("spec").get("policy"), config);
    }

    @Test
    @DisplayName("RT-03 an unknown flag of create is a usage error, exit 2, and reaches no gateway")
    void create_withAnUnknownFlag() throws Exception {
        OpenShellRunOutcome outcome = openShell.run(AnyArgv.of(List.of("openshell", "sandbox", "create", "--name", "realm-x", "--polcy", "/x", "--", "/bin/x")));

        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(openShell.requests("CreateSandbox")).isEmpty();
    }
}
