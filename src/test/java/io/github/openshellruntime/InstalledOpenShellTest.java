// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * For those who have an OpenShell from 0.1.0 on: {@code -Dopenshell.cli=/usr/bin/openshell} runs what needs no gateway,
 * {@code -Dopenshell.live=true} also creates one realm on the active gateway. No such CLI could be had where this was written.
 */
@Tag("installed")
@DisplayName("An installed OpenShell")
class InstalledOpenShellTest {

    private static OpenShellCli cli(Map<String, String> host) throws InterruptedException {
        String path = System.getProperty("openshell.cli");
        return path == null ? OpenShellCli.verify(RuntimeConfig.builder(List.of("/usr/bin/sleep", "infinity")).build(), host)
                : OpenShellCli.verify(Path.of(path), OpenShellEnvironment.select(host));
    }

    private static OpenShellRunOutcome run(OpenShellCli cli, OpenShellArgv argv) throws InterruptedException {
        return OpenShellRunner.of(cli).run(argv, OpenShellRunOptions.capturing(Duration.ofMinutes(5)));
    }

    @Test
    @DisplayName("R18 verify takes it, with its version")
    void version_isTaken(@TempDir Path home) throws Exception {
        assertThat(cli(Map.of("HOME", home.toString(), "PATH", System.getenv("PATH"))).version()).isPresent();
    }

    @Test
    @DisplayName("RT-03 every form parses: without a gateway it is exit 1, and an unknown flag of create is exit 2")
    void forms_parse(@TempDir Path home) throws Exception {
        OpenShellCli cli = cli(Map.of("HOME", home.toString(), "PATH", System.getenv("PATH")));
        RuntimeConfig config = RuntimeConfig.builder(List.of("/usr/bin/agent")).owner("d-1").image("a/b:1").build();
        SessionId session = SessionId.of("a");
        WrittenPolicy policy = PolicyDocuments.write(home.resolve("policies"), session,
                PolicyDocuments.render(config.egressAllow(), "/usr/bin/agent"));

        for (OpenShellArgv argv : List.of(OpenShellArgv.create(policy, config), OpenShellArgv.exec(session, List.of("/bin/true")),
                OpenShellArgv.get(session), OpenShellArgv.list(config), OpenShellArgv.list(config, "token"), OpenShellArgv.delete(session))) {
            assertThat(run(cli, argv).exitCode()).as(argv.toString()).isEqualTo(1);
        }
        assertThat(run(cli, AnyArgv.of(List.of("openshell", "sandbox", "create", "--polcy", "x"))).exitCode())
                .isEqualTo(2);
    }

    @Test
    @DisplayName("RT-05 its reader takes our documents and refuses an unknown field")
    void reader_takesOurDocuments(@TempDir Path home) throws Exception {
        OpenShellCli cli = cli(Map.of("HOME", home.toString(), "PATH", System.getenv("PATH")));
        assertThat(run(cli, AnyArgv.of(List.of("openshell", "gateway", "add", "http://127.0.0.1:9", "--local",
                "--name", "down"))).exitCode()).isZero();
        String document = PolicyDocuments.render(RuntimeConfig.builder(List.of("/usr/bin/agent"))
                .egressAllow(List.of("api.example.com", "*.example.org:8443")).build().egressAllow(), "/usr/bin/agent").json();
        Path good = Files.writeString(home.resolve("good.json"), document);
        Path bad = Files.writeString(home.resolve("bad.json"), document.replace("\"landlock\"", "\"landlocked\""));

        assertThat(policySet(cli, good)).doesNotContain("parse");
        assertThat(policySet(cli, bad)).contains("parse");
    }

    private static String policySet(OpenShellCli cli, Path file) throws InterruptedException {
        OpenShellRunOutcome outcome =
                run(cli, AnyArgv.of(List.of("openshell", "policy", "set", "realm-x", "--policy", file.toString())));
        assertThat(outcome.exitCode()).isEqualTo(1);
        return outcome.stderr().text();
    }

    @Test
    @Tag("live")
    @DisplayName("LIVE RT-03 a realm on the active gateway: create, exec in the form as it is, delete")
    void realm_lives(@TempDir Path dir) throws Exception {
        System.out.println("LIVE: creating one realm on the active gateway, and deleting it");
        OpenShellCli cli = cli(System.getenv());
        RuntimeConfig config = RuntimeConfig.builder(List.of("/usr/bin/sleep", "infinity")).owner("openshell-runtime-test").build();
        SessionId session = SessionId.derive(dir.toString() + System.nanoTime());
        WrittenPolicy policy = PolicyDocuments.write(dir.resolve("policies"), session,
                PolicyDocuments.render(config.egressAllow(), "/usr/bin/sleep"));
        try {
            OpenShellRunOutcome created = run(cli, OpenShellArgv.create(policy, config));
            assertThat(created.exitCode()).as(created.stderr().text()).isZero();
            OpenShellRunOutcome ran = run(cli, OpenShellArgv.exec(session, List.of("/bin/sh", "-c", "pwd; exit 7")));
            assertThat(ran.exitCode()).as(ran.stderr().text()).isEqualTo(7);
            assertThat(ran.stdout().text()).isEqualTo("/workspace\n");
        } finally {
            assertThat(run(cli, OpenShellArgv.delete(session)).exitCode()).isZero();
        }
    }
}
