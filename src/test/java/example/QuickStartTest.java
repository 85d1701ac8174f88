// SPDX-License-Identifier: Apache-2.0
package example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.openshellruntime.OpenShellArgv;
import io.github.openshellruntime.OpenShellCli;
import io.github.openshellruntime.PolicyDocuments;
import io.github.openshellruntime.RealmException;
import io.github.openshellruntime.RuntimeConfig;
import io.github.openshellruntime.RuntimeConfigLoader;
import io.github.openshellruntime.SessionId;
import io.github.openshellruntime.WrittenPolicy;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Quick start")
class QuickStartTest {

    private static final Path CONFIG = Path.of("src/test/resources/example/runtime.json");

    @Test
    @DisplayName("RT-03, RT-07, AUD-02 the stand-in saw the exact argv, environment and policy")
    void standIn_sawWhatWasBuilt(@TempDir Path home) throws Exception {
        StandIn standIn = StandIn.install(home);
        ByteArrayOutputStream printed = new ByteArrayOutputStream();

        new QuickStart(new PrintStream(printed, true, StandardCharsets.UTF_8))
                .run(CONFIG, home.resolve("policies"), standIn.host());

        RuntimeConfig config = RuntimeConfigLoader.standard().load(CONFIG);
        List<StandIn.Call> calls = standIn.calls();
        SessionId session = SessionId.fromSandboxName(calls.get(2).argv().get(4));
        // The same session once more: the same path, and with it the same argv.
        WrittenPolicy policy = PolicyDocuments.write(home.resolve("policies"), session,
                PolicyDocuments.render(config.egressAllow(), config.workloadArgv().get(0)));
        assertThat(calls).extracting(StandIn.Call::argv).containsExactly(
                OpenShellArgv.version().asList(),
                OpenShellArgv.get(session).asList(),
                OpenShellArgv.create(policy, config).asList(),
                OpenShellArgv.get(session).asList(),
                OpenShellArgv.exec(session, List.of("true")).asList(),
                OpenShellArgv.exec(session, List.of("/bin/echo", "hello from", session.sandboxName())).asList(),
                OpenShellArgv.get(session).asList(),
                OpenShellArgv.delete(session).asList(),
                OpenShellArgv.get(session).asList(),
                OpenShellArgv.get(session).asList());
        OpenShellCli cli = OpenShellCli.verify(config, standIn.host());
        assertThat(calls).extracting(StandIn.Call::environment).containsOnly(cli.environment().asMap());
        assertThat(calls).extracting(StandIn.Call::stdinBytes).containsOnly(0L);
        assertThat(calls.get(2).policyMode()).isEqualTo("600");
        assertThat(calls.get(2).policy()).isEqualTo(PolicyDocuments.render(config.egressAllow(), "/usr/bin/sleep").toBytes());
        assertThat(standIn.sandboxes()).isEmpty();
    }

    @Test
    @DisplayName("prints the config, the policy with its mode, each argv and each outcome")
    void output_showsTheJob(@TempDir Path home) throws Exception {
        StandIn standIn = StandIn.install(home);
        ByteArrayOutputStream printed = new ByteArrayOutputStream();

        new QuickStart(new PrintStream(printed, true, StandardCharsets.UTF_8))
                .run(CONFIG, home.resolve("policies"), standIn.host());

        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("runtime.json", "policy.json rw-------",
                "\"network_policies\": {", "argv    openshell sandbox create --name realm-", "--no-login-shell -- /bin/echo",
                "stdout  hello from realm-", "exit    0 after", "not OpenShell, nothing is contained",
                "argv    openshell sandbox delete realm-", "plan    sha-256", "phase   ABSENT");
        assertThat(home.resolve("policies")).isEmptyDirectory();
    }

    @Test
    @DisplayName("a create that fails is still deleted, and its policy removed")
    void failedCreate_isDeleted(@TempDir Path home) throws Exception {
        StandIn standIn = StandIn.install(home);
        standIn.set("create-exit", "1");

        QuickStart quickStart = new QuickStart(new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
        assertThatThrownBy(() -> quickStart.run(CONFIG, home.resolve("policies"), standIn.host()))
                .isInstanceOfSatisfying(RealmException.class, e -> assertThat(e.leftBehind()).isFalse());

        assertThat(standIn.calls()).extracting(call -> call.argv().size() > 2 ? call.argv().get(2) : "version")
                .containsExactly("version", "get", "create", "get", "delete", "get");
        assertThat(standIn.sandboxes()).isEmpty();
        assertThat(home.resolve("policies")).isEmptyDirectory();
    }
}
