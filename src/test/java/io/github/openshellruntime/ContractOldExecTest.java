// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Part 4: why a CLI has to prove its version. */
@Tag("contract")
@DisplayName("Contract 4: the old exec")
class ContractOldExecTest {

    @Test
    @DisplayName("R01 0.0.111 does not refuse --no-login-shell but runs it as the command")
    void oldCli_runsTheFlag(@TempDir Path home) throws Exception {
        RealOpenShell openShell = RealOpenShell.start(home);
        try {
            SessionId session = SessionId.of("a");
            assertThat(openShell.create(session, RuntimeConfig.builder(List.of("/usr/bin/agent")).build()).exitCode()).isZero();

            OpenShellRunOutcome outcome = openShell.run(OpenShellArgv.exec(session, List.of("/bin/echo", "hi")));

            List<String> command = new ArrayList<>();
            JsonNode seen = openShell.requests("ExecSandbox").get(0);
            seen.get("command").forEach(argument -> command.add(argument.asText()));
            assertThat(command).containsExactly("--no-login-shell", "--", "/bin/echo", "hi");
            assertThat(outcome.exitCode()).isNotZero();
            assertThat(outcome.stdout().text()).doesNotContain("hi");
        } finally {
            openShell.stop();
        }
    }

    @Test
    @DisplayName("R01, R18 verify refuses this CLI, and says which version is needed")
    void verify_refusesTheOldCli(@TempDir Path home) {
        assertThatThrownBy(() -> OpenShellCli.verify(RealOpenShell.executable(),
                OpenShellEnvironment.select(Map.of("HOME", home.toString()))))
                .isInstanceOfSatisfying(OpenShellRunnerError.class, e -> {
                    assertThat(e.reason()).isEqualTo(OpenShellRunnerError.Reason.UNSUPPORTED_CLI);
                    assertThat(e.stdout().text()).isEqualTo("openshell 0.0.111\n");
                })
                .hasMessageContaining("0.1.0");
    }
}
