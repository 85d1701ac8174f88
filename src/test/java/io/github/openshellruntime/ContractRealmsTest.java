// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.openshellruntime.RealmState.PolicyInForce;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Part 3: get, list and delete. */
@DisplayName("Contract 3: realms")
class ContractRealmsTest extends ContractSuite {

    private static RuntimeConfig config(String owner) {
        return RuntimeConfig.builder(List.of("/usr/bin/agent")).egressAllow(List.of("api.example.com")).owner(owner).build();
    }

    private static PolicyDocument document(String... egress) {
        return PolicyDocuments.render(
                RuntimeConfig.builder(List.of("/usr/bin/agent")).egressAllow(List.of(egress)).build().egressAllow(),
                "/usr/bin/agent");
    }

    private RealmState state(SessionId session) throws InterruptedException {
        return RealmState.of(openShell.run(OpenShellArgv.get(session)));
    }

    private static void assertFailed(OpenShellRunnerError.Reason reason, ThrowingCallable reading) {
        assertThatThrownBy(reading).isInstanceOfSatisfying(OpenShellRunnerError.class,
                e -> assertThat(e.reason()).isEqualTo(reason));
    }

    @Test
    @DisplayName("RT-03 get gives back what was created: phase, labels, time, the policy in force")
    void get_givesBack() throws Exception {
        SessionId session = SessionId.of("a");
        Instant before = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        assertThat(openShell.create(session, config("d-1")).exitCode()).isZero();
        Instant after = Instant.now();

        OpenShellRunOutcome outcome = openShell.run(OpenShellArgv.get(session));

        RealmState state = RealmState.of(outcome);
        assertThat(state.phase()).isEqualTo(SandboxPhase.READY);
        assertThat(state.labels()).isEqualTo(Map.of("managed-by", "openshell-runtime", "owner", "d-1"));
        assertThat(state.createdAt().orElseThrow()).isBetween(before, after);
        assertThat(state.policy(document("api.example.com"))).isEqualTo(PolicyInForce.SAME);
        assertThat(state.policy(document("api.example.com:444"))).isEqualTo(PolicyInForce.DIFFERENT);
        assertThat(state.policy(document())).isEqualTo(PolicyInForce.DIFFERENT);
        JsonNode realm = Cases.parse(outcome.stdout().text());
        assertThat(realm.get("name").asText()).isEqualTo("realm-a");
        assertThat(realm.get("policy_source").asText()).isEqualTo("sandbox");
        assertThat(realm.at("/policy/network_policies/workload_egress/endpoints/0/port").asInt()).isEqualTo(443);
        assertThat(realm.at("/policy/filesystem_policy/read_only").toString()).contains("\"/var/log\"");
    }

    @Test
    @DisplayName("a global policy: the realm is READY all the same, and its policy is another one")
    void globalPolicy_isSeen() throws Exception {
        SessionId session = SessionId.of("a");
        assertThat(openShell.create(session, config("d-1")).exitCode()).isZero();
        Path global = Files.writeString(home.resolve("global.json"), document("other.example.com").json());
        assertThat(openShell.run(AnyArgv.of(List.of("openshell", "policy", "set", "--global", "--yes", "--policy",
                global.toString()))).exitCode()).isZero();

        RealmState state = state(session);

        assertThat(state.phase()).isEqualTo(SandboxPhase.READY);
        assertThat(state.policy(document("api.example.com"))).isEqualTo(PolicyInForce.DIFFERENT);
        // Not even one that has the same rules: whoever set it may set another.
        assertThat(state.policy(document("other.example.com"))).isEqualTo(PolicyInForce.DIFFERENT);
    }

    @Test
    @DisplayName("a workspace that does not exist: nothing is absent there, every call fails but delete")
    void missingWorkspace_isNoAbsence() throws Exception {
        SessionId session = SessionId.of("a");
        assertThat(openShell.create(session, config("d-1")).exitCode()).isZero();
        OpenShellRunner elsewhere = RealOpenShell.runner(
                OpenShellEnvironment.select(openShell.host()).withWorkspace("nosuchws"));
        OpenShellRunOptions call = OpenShellRunOptions.capturing(Duration.ofSeconds(30));

        OpenShellRunOutcome get = elsewhere.run(OpenShellArgv.get(session), call);
        OpenShellRunOutcome list = elsewhere.run(OpenShellArgv.list(config("d-1")), call);
        OpenShellRunOutcome create =
                elsewhere.run(OpenShellArgv.create(openShell.policy(session, config("d-1")), config("d-1")), call);

        assertFailed(OpenShellRunnerError.Reason.CALL_FAILED, () -> RealmState.of(get));
        assertFailed(OpenShellRunnerError.Reason.CALL_FAILED, () -> RealmPage.of(list));
        assertThat(create.exitCode()).isEqualTo(1);
        assertThat(CliAnswer.saysAlreadyExists(create)).isFalse();
        assertThat(elsewhere.run(OpenShellArgv.exec(session, List.of("true")), call).exitCode()).isEqualTo(1);
        assertThat(elsewhere.run(OpenShellArgv.delete(session), call).exitCode()).isZero();
        assertThat(state(session).phase()).isEqualTo(SandboxPhase.READY);
    }

    @Test
    @DisplayName("the exec form of 0.1.0 through this CLI, with a gateway that leaves its flag out")
    void exec_withoutTheFlag(@TempDir Path otherHome) throws Exception {
        RealOpenShell dropping = RealOpenShell.start(otherHome, "--drop-no-login-shell");
        try {
            SessionId session = SessionId.of("a");
            assertThat(dropping.create(session, config("d-1")).exitCode()).isZero();

            OpenShellRunOutcome outcome =
                    dropping.run(OpenShellArgv.exec(session, List.of("/bin/sh", "-c", "echo \"$1\"; exit 7", "sh", "a  b")));

            assertThat(outcome.exitCode()).isEqualTo(7);
            assertThat(outcome.stdout().text()).isEqualTo("a  b\n");
        } finally {
            dropping.stop();
        }
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
        RealmPage page = RealmPage.of(openShell.run(OpenShellArgv.list(config)));
        assertThat(page.others()).isEmpty();
        assertThat(page.nextPageToken()).isEmpty();
        return page.sessions().stream().map(SessionId::sandboxName).toList();
    }

    @Test
    @DisplayName("RT-03 delete removes the realm; of a missing one it is exit 0 all the same, and get of it is 1")
    void delete_removes() throws Exception {
        SessionId session = SessionId.of("a");
        assertThat(openShell.create(session, config("d-1")).exitCode()).isZero();

        assertThat(openShell.run(OpenShellArgv.delete(session)).exitCode()).isZero();

        OpenShellRunOutcome gone = openShell.run(OpenShellArgv.get(session));
        assertThat(gone.exitCode()).isEqualTo(1);
        assertThat(gone.stderr().text()).isEqualTo(Answers.text("get-absent.txt"));
        assertThat(SandboxPhase.of(gone)).isEqualTo(SandboxPhase.ABSENT);
        assertThat(openShell.run(OpenShellArgv.delete(session)).exitCode()).isZero();
    }

    @Test
    @DisplayName("RT-03 an existing name and a name of 20 bytes are exit 1, never an exception")
    void names_areTheGatewaysToRefuse() throws Exception {
        SessionId session = SessionId.of("a");
        assertThat(openShell.create(session, config("d-1")).exitCode()).isZero();
        OpenShellRunOutcome again = openShell.create(session, config("d-1"));
        assertThat(again.exitCode()).isEqualTo(1);
        assertThat(again.stderr().text()).isEqualTo(Answers.text("create-already-exists.txt"));
        assertThat(CliAnswer.saysAlreadyExists(again)).isTrue();

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
            assertThat(CliAnswer.saysAlreadyExists(outcome)).isFalse();
        }
        OpenShellRunOutcome get = openShell.run(OpenShellArgv.get(session));
        assertFailed(OpenShellRunnerError.Reason.CALL_FAILED, () -> SandboxPhase.of(get));
        OpenShellRunOutcome list = openShell.run(OpenShellArgv.list(config("d-1")));
        assertFailed(OpenShellRunnerError.Reason.CALL_FAILED, () -> RealmPage.of(list));
    }
}
