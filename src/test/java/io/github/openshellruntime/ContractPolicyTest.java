// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.openshellruntime.RealmState.PolicyInForce;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Part 2: the CLI's own reader and the messages of the SDK 0.1.2 take every document that we render. */
@Tag("contract")
@DisplayName("Contract 2: policies")
class ContractPolicyTest {

    private static final String NOT_PARSED = "failed to parse sandbox policy YAML";

    @TempDir
    private Path home;
    private Path file;

    @BeforeEach
    void registerAGatewayThatIsDown() throws Exception {
        file = home.resolve("policy.json");
        RealOpenShell openShell = RealOpenShell.start(home);
        openShell.stop();
    }

    /** Whether the CLI's reader takes a document: it is read before the CLI finds that the gateway is down. */
    private boolean cliReads(String document) throws Exception {
        Files.writeString(file, document);
        OpenShellRunOutcome outcome = RealOpenShell.runner(OpenShellEnvironment.select(Map.of("HOME", home.toString()))).run(
                AnyArgv.of(List.of("openshell", "policy", "set", "realm-x", "--policy", file.toString())),
                OpenShellRunOptions.capturing(Duration.ofSeconds(30)));
        assertThat(outcome.exitCode()).isEqualTo(1);
        String said = outcome.stderr().text();
        boolean refused = said.contains(NOT_PARSED);
        assertThat(refused || said.contains("Connection refused")).as(said).isTrue();
        return !refused;
    }

    /** What the SDK's message makes of documents: each line {@code ok} and the document, or {@code refused} and why. */
    private List<String> sdkReads(List<String> documents) throws Exception {
        List<String> command = new ArrayList<>(List.of(RealOpenShell.python().toString(), ".ci/openshell/read-policies.py"));
        for (int i = 0; i < documents.size(); i++) {
            command.add(Files.writeString(home.resolve("document-" + i), documents.get(i)).toString());
        }
        ChildJvm.Result result = ChildJvm.run(command,
                Map.of("PYTHONPATH", RealOpenShell.python().resolveSibling("sdk").toString()));
        assertThat(result.exitCode()).as(result.output()).isZero();
        return result.output().lines().toList();
    }

    private static List<String> documents() {
        return policies().stream().map(PolicyDocument::json).toList();
    }

    private static List<PolicyDocument> policies() {
        List<PolicyDocument> documents = new ArrayList<>();
        for (JsonNode row : Cases.read("egress-cases.jsonl")) {
            if (row.get("rule").asText().equals("-") && row.has("rendered") && !row.has("zones")) {
                List<String> entries = new ArrayList<>();
                row.get("rendered").forEach(entry -> entries.add(entry.asText()));
                documents.add(render(entries, WorkloadUser.standard()));
            }
        }
        for (WorkloadUser user : List.of(WorkloadUser.standard(), WorkloadUser.of(1, 4_294_967_294L), WorkloadUser.sandboxAccount(),
                WorkloadUser.imageUser())) {
            documents.add(render(List.of(), user));
            documents.add(render(List.of("api.example.com"), user));
        }
        documents.add(PolicyDocuments.render(RuntimeConfig.builder(List.of("/agent")).build().egressAllow(), "/app/bin/agent",
                SandboxProfile.standard().withReadable("/models", "/data/a")));
        return documents;
    }

    private static PolicyDocument render(List<String> entries, WorkloadUser user) {
        EgressAllowlist allowlist = RuntimeConfig.builder(List.of("/usr/bin/agent")).egressAllow(entries).build().egressAllow();
        return PolicyDocuments.render(allowlist, "/usr/bin/agent", SandboxProfile.standard().withUser(user));
    }

    @Test
    @DisplayName("RT-05 the CLI's reader takes every document of the accepted rows and of each user")
    void cli_readsEveryDocument() throws Exception {
        assertThat(documents()).hasSizeGreaterThan(35);
        for (String document : documents()) {
            assertThat(cliReads(document)).as(document).isTrue();
        }
    }

    @Test
    @DisplayName("RT-05 the SandboxPolicy message of 0.1.2 takes every document whole, and gives it back")
    void sdk_readsEveryDocument() throws Exception {
        List<String> documents = documents();
        List<String> read = sdkReads(documents);

        assertThat(read).hasSameSizeAs(documents);
        for (int i = 0; i < read.size(); i++) {
            assertThat(read.get(i)).as(documents.get(i)).startsWith("ok ");
            assertThat(RealOpenShell.normalised(Cases.parse(read.get(i).substring(3))))
                    .isEqualTo(RealOpenShell.normalised(Cases.parse(documents.get(i))));
        }
    }

    @Test
    @DisplayName("get shows every document so that it is SAME as itself, and DIFFERENT from the one before")
    void get_showsEveryDocument(@TempDir Path otherHome) throws Exception {
        RealOpenShell openShell = RealOpenShell.start(otherHome);
        try {
            PolicyDocument before = null;
            for (PolicyDocument document : new LinkedHashSet<>(policies())) {
                SessionId session = SessionId.of("a");
                WrittenPolicy written = PolicyDocuments.write(otherHome.resolve("policies"), session, document);
                List<String> egress =
                        document.egressAllow().rules().stream().map(rule -> rule.host() + ":" + rule.port()).toList();
                RuntimeConfig config = RuntimeConfig.builder(List.of("/usr/bin/agent")).egressAllow(egress).build();
                assertThat(openShell.run(OpenShellArgv.create(written, config)).exitCode()).isZero();

                RealmState state = RealmState.of(openShell.run(OpenShellArgv.get(session)));

                assertThat(state.policy(document)).as(document.json()).isEqualTo(PolicyInForce.SAME);
                if (before != null) {
                    assertThat(state.policy(before)).as(document.json()).isEqualTo(PolicyInForce.DIFFERENT);
                }
                before = document;
                assertThat(openShell.run(OpenShellArgv.delete(session)).exitCode()).isZero();
            }
            assertThat(before).isNotNull();
        } finally {
            openShell.stop();
        }
    }

    @Test
    @DisplayName("controls: an unknown field, a doubled key and a cut document are refused by both readers")
    void controls_areRefused() throws Exception {
        String document = render(List.of("api.example.com"), WorkloadUser.standard()).json();
        List<String> broken = List.of(document.replace("\"landlock\"", "\"landlocked\""),
                document.replace("\"host\":", "\"hostname\":"),
                document.replace("\"version\": 1,", "\"version\": 1,\n  \"version\": 1,"), document.substring(0, document.length() / 2));

        for (String control : broken) {
            assertThat(control).isNotEqualTo(document);
            assertThat(cliReads(control)).as(control).isFalse();
        }
        assertThat(sdkReads(broken)).hasSize(4).allMatch(line -> line.startsWith("refused "));
    }

    @Test
    @DisplayName("RT-05 how many entries that we refuse the CLI's reader takes as a host")
    void reader_takesWhatWeRefuse() throws Exception {
        int refused = 0;
        int taken = 0;
        for (JsonNode row : Cases.read("egress-cases.jsonl")) {
            if (!row.get("rule").asText().equals("-") && row.has("entry") && !row.has("zones")) {
                ObjectNode document = (ObjectNode) Cases.parse(render(List.of("api.example.com"), WorkloadUser.standard()).json());
                ((ObjectNode) document.at("/network_policies/workload_egress/endpoints/0")).put("host", Cases.join(row.get("entry")));
                refused++;
                taken += cliReads(document.toString()) ? 1 : 0;
            }
        }
        System.out.println("contract: of " + refused + " entries that we refuse, the reader of 0.0.111 takes " + taken);
        assertThat(refused).isGreaterThan(150);
        assertThat(taken).isGreaterThan(refused / 2);
    }
}
