// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Part 5: a dispatcher whose own environment is full of traps. */
@DisplayName("Contract 5: environment")
class ContractEnvironmentTest extends ContractSuite {

    private static final String MARK = "Zq7_Tr0ub4dor";

    private Map<String, String> traps() throws Exception {
        Path widePolicy = Files.writeString(home.resolve("wide.yaml"), "version: 1\n");
        Map<String, String> traps = new HashMap<>(Map.of("COMPLETE", "bash", "RUST_LOG", "debug",
                "OPENSHELL_GATEWAY_ENDPOINT", "http://127.0.0.1:9", "OPENSHELL_GATEWAY", "elsewhere",
                "OPENSHELL_WORKSPACE", "elsewhere", "OPENSHELL_SANDBOX_POLICY", widePolicy.toString(),
                "HTTPS_PROXY", "http://127.0.0.1:9", "AWS_SECRET_ACCESS_KEY", MARK, "FORCE_COLOR", "1", "MARKED", MARK));
        traps.putAll(openShell.host());
        return traps;
    }

    @Test
    @DisplayName("AUD-02, R16 every verb does its work on the right gateway, stdout is clean, and the gateway never sees the secret")
    void everyVerb_isUnimpressed() throws Exception {
        ChildJvm.Result result = ChildJvm.run(ChildJvm.command(List.of(), Dispatch.class, RealOpenShell.executable().toString(),
                home.resolve("policies").toString()), traps());

        assertThat(result.output()).isEqualTo("create 0\nget 0 {\nlist 0 realm-a\nexec 0 clean\ndelete 0\n");
        assertThat(openShell.requests("CreateSandbox")).hasSize(1);
        assertThat(openShell.requests("CreateSandbox").get(0).get("workspace").asText()).isEqualTo("default");
        assertThat(openShell.requests("CreateSandbox").get(0).at("/spec/policy/landlock/compatibility").asText())
                .isEqualTo("hard_requirement");
        assertThat(openShell.requests("DeleteSandbox")).hasSize(1);
        assertThat(openShell.requestsAsText()).doesNotContain(MARK).doesNotContain(MARK.substring(0, 4));
    }

    /** Uses each verb once, with whatever environment this JVM has, and prints exit codes and first lines. */
    static final class Dispatch {

        private Dispatch() {
        }

        public static void main(String[] args) throws Exception {
            OpenShellRunner runner = OpenShellRunner.of(
                    OpenShellCli.unverified(Path.of(args[0]), OpenShellEnvironment.select(System.getenv())));
            RuntimeConfig config = RuntimeConfig.builder(List.of("/usr/bin/agent")).build();
            SessionId session = SessionId.of("a");
            WrittenPolicy policy = PolicyDocuments.write(Path.of(args[1]), session,
                    PolicyDocuments.render(config.egressAllow(), "/usr/bin/agent"));
            print(runner, OpenShellArgv.create(policy, config), false);
            print(runner, OpenShellArgv.get(session), true);
            print(runner, OpenShellArgv.list(config), true);
            print(runner, RealOpenShell.oldExec(session, "/bin/echo", "clean"), true);
            print(runner, OpenShellArgv.delete(session), false);
        }

        private static void print(OpenShellRunner runner, OpenShellArgv argv, boolean withOutput) throws InterruptedException {
            OpenShellRunOutcome outcome = runner.run(argv, OpenShellRunOptions.capturing(Duration.ofSeconds(20)));
            String first = withOutput ? " " + outcome.stdout().text().lines().findFirst().orElse("") : "";
            System.out.print(argv.asList().get(2) + " " + outcome.exitCode() + first + "\n");
        }
    }

    @Test
    @DisplayName("AUD-02 control: with COMPLETE inherited, delete prints completions, exits 0 and deletes nothing")
    void control_completeInherited() throws Exception {
        SessionId session = SessionId.of("a");
        assertThat(openShell.create(session, RuntimeConfig.builder(List.of("/usr/bin/agent")).build()).exitCode()).isZero();
        Map<String, String> environment = new HashMap<>(openShell.host());
        environment.put("COMPLETE", "bash");

        ChildJvm.Result result = ChildJvm.run(List.of(RealOpenShell.executable().toString(), "sandbox", "delete", "realm-a"), environment);

        assertThat(result.exitCode()).isZero();
        assertThat(openShell.requests("DeleteSandbox")).isEmpty();
        assertThat(openShell.run(OpenShellArgv.get(session)).exitCode()).isZero();
    }

    @Test
    @DisplayName("AUD-02 control: with the endpoint inherited the call goes elsewhere; with RUST_LOG logs are on stdout")
    void control_othersInherited() throws Exception {
        SessionId session = SessionId.of("a");
        assertThat(openShell.create(session, RuntimeConfig.builder(List.of("/usr/bin/agent")).build()).exitCode()).isZero();
        Map<String, String> environment = new HashMap<>(openShell.host());
        environment.put("OPENSHELL_GATEWAY_ENDPOINT", "http://127.0.0.1:9");
        List<String> get = List.of(RealOpenShell.executable().toString(), "sandbox", "get", "realm-a", "-o", "json");
        assertThat(ChildJvm.run(get, environment).exitCode()).isEqualTo(1);

        environment.remove("OPENSHELL_GATEWAY_ENDPOINT");
        environment.put("RUST_LOG", "debug");
        ChildJvm.Result logged = ChildJvm.run(get, environment);
        assertThat(logged.exitCode()).isZero();
        assertThat(logged.output()).contains("DEBUG");
        assertThat(openShell.run(OpenShellArgv.get(session)).stdout().text()).startsWith("{");
    }
}
