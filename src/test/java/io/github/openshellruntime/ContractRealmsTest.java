// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Part 3: get, list and delete. */
@DisplayName("Contract 3: realms")
class ContractRealmsTest extends ContractSuite {

    private static RuntimeConfig config(String owner) {
        return RuntimeConfig.builder(List.of("/usr/bin/agent")).egressAllow(List.of("api.example.com")).owner(owner).build();
    }

    @Test
    @DisplayName("RT-03 get gives back what was created")
    void get_givesBack() throws Exception {
        SessionId session = SessionId.of("a");
        assertThat(openShell.create(session, config("d-1")).exitCode()).isZero();

        OpenShellRunOutcome outcome = openShell.run(OpenShellArgv.get(session));

        assertThat(outcome.exitCode()).isZero();
        JsonNode realm = Cases.parse(outcome.stdout().text());
        assertThat(realm.get("name").asText()).isEqualTo("realm-a");
        assertThat(realm.get("labels")).isEqualTo(Cases.parse("{\"managed-by\":\"openshell-runtime\",\"owner\":\"d-1\"}"));
        assertThat(realm.get("phase").asText()).isEqualTo("Ready");
        assertThat(realm.at("/policy/network_policies/workload_egress/binaries/0/path").asText()).isEqualTo("/usr/bin/agent");
    }

    @Test
    @DisplayName("RT-03 two owners on one gateway see their own realms only; strangers see neither")
    void list_keepsOwnersApart() throws Exception {
        for (String id : List.of("a", "b")) {
            assertThat(openShell.create(SessionId.of(id), config("d-1")).exitCode()).isZero();
        }
        assertThat(openShell.create(SessionId.of("c"), config("d-2")).exitCode()).isZero();
        openShell.run(AnyArgv.of(List.of("openshell", "sandbox", "create", "--name", "stranger", "--policy",
                home.resolve("policies/realm-a.policy.json").toString(), "--no-tty", "--detach", "--", "/bin/x")));

        assertThat(names(config("d-1"))).containsExactlyInAnyOrder("realm-a", "realm-b");
        assertThat(names(config("d-2"))).containsExactly("realm-c");
        assertThat(names(config("d-3"))).isEmpty();
        assertThat(names(RuntimeConfig.builder(List.of("/usr/bin/agent")).build()))
                .containsExactlyInAnyOrder("realm-a", "realm-b", "realm-c");
    }

    private List<String> names(RuntimeConfig config) throws Exception {
        OpenShellRunOutcome outcome = openShell.run(OpenShellArgv.list(config));
        assertThat(outcome.exitCode()).as(outcome.stderr().text()).isZero();
        return outcome.stdout().text().lines().toList();
    }

    @Test
    @DisplayName("RT-03 delete removes the realm; of a missing one it is exit 0 all the same, and get of it is 1")
    void delete_removes() throws Exception {
        SessionId session = SessionId.of("a");
        assertThat(openShell.create(session, config("d-1")).exitCode()).isZero();

        assertThat(openShell.run(OpenShellArgv.delete(session)).exitCode()).isZero();

        OpenShellRunOutcome gone = openShell.run(OpenShellArgv.get(session));
        assertThat(gone.exitCode()).isEqualTo(1);
        assertThat(gone.stdout().text()).isEmpty();
        assertThat(gone.stderr().text()).contains("not found");
        assertThat(openShell.run(OpenShellArgv.delete(session)).exitCode()).isZero();
    }

    @Test
    @DisplayName("RT-03 an existing name and a name of 20 bytes are exit 1, never an exception")
    void names_areTheGatewaysToRefuse() throws Exception {
        SessionId session = SessionId.of("a");
        assertThat(openShell.create(session, config("d-1")).exitCode()).isZero();
        OpenShellRunOutcome again = openShell.create(session, config("d-1"));
        assertThat(again.exitCode()).isEqualTo(1);
        assertThat(again.stderr().text()).contains("already exists");

        OpenShellRunOutcome tooLong = openShell.run(AnyArgv.of(List.of("openshell", "sandbox", "create",
                "--name", "realm-abcdefghijklmn", "--policy", home.resolve("policies/realm-a.policy.json").toString(), "--no-tty",
                "--detach", "--", "/bin/x")));
        assertThat(tooLong.exitCode()).isEqualTo(1);
        assertThat(tooLong.stderr().text()).contains("exceeds");
        assertThat(openShell.create(SessionId.of("abcdefghijklm"), config("d-1")).exitCode()).isZero();
    }

    @Test
    @DisplayName("RT-03 a gateway that is down is exit 1 for every verb, never an exception")
    void gatewayDown_isAnOutcome() throws Exception {
        SessionId session = SessionId.of("a");
        WrittenPolicy policy = openShell.policy(session, config("d-1"));
        openShell.stop();

        for (OpenShellArgv argv : List.of(OpenShellArgv.create(policy, config("d-1")), OpenShellArgv.get(session),
                OpenShellArgv.list(config("d-1")), OpenShellArgv.delete(session), OpenShellArgv.exec(session, List.of("/bin/true")))) {
            OpenShellRunOutcome outcome = openShell.run(argv);
            assertThat(outcome.exitCode()).as(argv.toString()).isEqualTo(1);
            assertThat(outcome.stderr().text()).as(argv.toString()).contains("refused");
        }
    }
}
