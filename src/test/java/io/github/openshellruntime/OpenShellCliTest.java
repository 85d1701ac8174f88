// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.openshellruntime.OpenShellRunnerError.Kind;
import io.github.openshellruntime.OpenShellRunnerError.Reason;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("OpenShellCli and OpenShellVersion")
class OpenShellCliTest {

    private static final OpenShellEnvironment ENVIRONMENT = OpenShellEnvironment.select(HostileCli.HOST);

    private static Path answering(String printfFormat) {
        return HostileCli.executable("#!/bin/sh\nprintf '" + printfFormat + "'\n");
    }

    @ParameterizedTest(name = "R18 supported: {0}")
    @ValueSource(strings = {"openshell 0.1.0\\n", "openshell 0.1.2", "openshell 0.1.10\\n", "openshell 0.10.0\\r\\n",
        "openshell 1.0.0\\n", "openshell 999999999.0.0\\n", "openshell 0.1.3-dev.4+g2bf9969\\n", "openshell 0.1.0+1\\n"})
    void verify_takes(String answer) throws Exception {
        OpenShellCli cli = OpenShellCli.verify(answering(answer), ENVIRONMENT);

        String version = cli.version().orElseThrow().toString();
        assertThat(answer).startsWith("openshell " + version.replaceAll("[+].*", ""));
    }

    @ParameterizedTest(name = "R01, R18 UNSUPPORTED_CLI: {0}")
    @ValueSource(strings = {"openshell 0.0.111\\n", "openshell 0.0.999\\n", "openshell 0.1\\n", "openshell 0.1.2.3\\n",
        "openshell 0.1.0-rc.1\\n", "openshell 0.0.112-dev.12+g83a02f927\\n", "openshell 0.1.3-\\n", "openshell 0.1.3-01\\n",
        "openshell 0.1.3-a..b\\n", "openshell 0.1.3+\\n", "openshell m-dev\\n", "openshell 00.1.0\\n", "openshell  0.1.2\\n", " openshell 0.1.2\\n",
        "openshell 0.1.2 \\n", "openshell 0.1.2\\n\\n", "openshell 0.1.2\\nmore\\n", "Openshell 0.1.2\\n", "0.1.2\\n", "",
        "\\n", "\\033[1mopenshell 0.1.2\\033[0m\\n", "openshell 1000000000.0.0\\n", "openshell 0.1.2\\000"})
    void verify_refuses(String answer) {
        assertUnsupported(answering(answer), Duration.ofSeconds(10));
    }

    @Test
    @DisplayName("R18 silent, endless, crashing and hanging CLIs: UNSUPPORTED_CLI and never TIMED_OUT")
    void verify_refusesWhatDoesNotAnswer() {
        Duration shortly = Duration.ofMillis(400);
        assertUnsupported(HostileCli.executable("#!/bin/sh\nexit 0\n"), shortly);
        assertUnsupported(HostileCli.executable("#!/bin/sh\nwhile :; do echo openshell 0.1.2; done\n"), shortly);
        assertUnsupported(HostileCli.executable("#!/bin/sh\necho openshell 0.1.2; exit 1\n"), shortly);
        assertUnsupported(HostileCli.executable("#!/bin/sh\necho openshell 0.1.2; kill -9 $$\n"), shortly);
        assertUnsupported(HostileCli.executable("#!/bin/sh\necho openshell 0.1.2; sleep 60\n"), shortly);
        assertUnsupported(HostileCli.executable("#!/bin/sh\nhead -c 300000 /dev/zero; echo openshell 0.1.2\n"), shortly);
        // Text without #! is run by /bin/sh, which is the JDK's doing.
        assertUnsupported(HostileCli.executable("true\n"), shortly);
    }

    private static void assertUnsupported(Path executable, Duration deadline) {
        assertThatThrownBy(() -> OpenShellCli.verify(executable, ENVIRONMENT, deadline))
                .isInstanceOfSatisfying(OpenShellRunnerError.class, e -> {
                    assertThat(e.kind()).isEqualTo(Kind.FAILED);
                    assertThat(e.reason()).isEqualTo(Reason.UNSUPPORTED_CLI);
                    assertThat(e.getMessage()).contains("0.1.0").doesNotContain(executable.toString());
                    assertThat(e).hasNoCause();
                });
    }

    @Test
    @DisplayName("a missing executable keeps its own reason")
    void verify_missing(@TempDir Path dir) {
        assertThatThrownBy(() -> OpenShellCli.verify(dir.resolve("none"), ENVIRONMENT))
                .isInstanceOfSatisfying(OpenShellRunnerError.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.EXECUTABLE_NOT_FOUND));
    }

    @Test
    @DisplayName("verify finds the first executable openshell on the host's PATH, absolute entries alone")
    void verify_looksOnThePath(@TempDir Path dir) throws Exception {
        Path notExecutable = Files.createDirectories(dir.resolve("a"));
        Files.writeString(notExecutable.resolve("openshell"), "#!/bin/sh\n");
        Files.createDirectories(dir.resolve("b/openshell"));
        Path found = Files.createDirectories(dir.resolve("c")).resolve("openshell");
        Files.copy(answering("openshell 0.1.2\\n"), found);
        Files.setPosixFilePermissions(found, PosixFilePermissions.fromString("rwx------"));
        String relative = Path.of("").toAbsolutePath().relativize(dir.toAbsolutePath()) + "/c";
        assertThat(Path.of(relative, "openshell")).isExecutable();
        String path = String.join(":", "", ".", relative, "bad\0entry", notExecutable.toString(), dir + "/b", dir + "/c");
        RuntimeConfig config = RuntimeConfig.builder(List.of("/usr/bin/agent")).gateway("g").workspace("w")
                .createTimeout(Duration.ofSeconds(60)).build();

        OpenShellCli cli = OpenShellCli.verify(config, Map.of("PATH", path.replace("bad\0entry:", ""), "HOME", "/h", "X", "y"));

        assertThat(cli.executable()).isEqualTo(found);
        assertThat(cli.environment().asMap()).containsEntry("OPENSHELL_GATEWAY", "g").containsEntry("OPENSHELL_WORKSPACE", "w")
                .containsEntry("OPENSHELL_PROVISION_TIMEOUT", "55").containsEntry("HOME", "/h").doesNotContainKey("X");
        for (Map<String, String> none : List.of(Map.<String, String>of(), Map.of("PATH", ""), Map.of("PATH", "b\0d:."))) {
            assertThatThrownBy(() -> OpenShellCli.verify(config, none)).isInstanceOfSatisfying(OpenShellRunnerError.class,
                    e -> assertThat(e.reason()).isEqualTo(Reason.EXECUTABLE_NOT_FOUND));
        }
    }

    @Test
    @DisplayName("verify prefers openshellPath, and gives the CLI five seconds less or half of the create timeout")
    void verify_prefersTheConfig() throws Exception {
        Path executable = answering("openshell 0.1.2\\n");
        long[][] timeouts = {{1, 1}, {2, 1}, {3, 2}, {9, 5}, {10, 5}, {11, 6}, {12, 7}, {600, 595}, {86_400, 86_395}};

        for (long[] timeout : timeouts) {
            RuntimeConfig config = RuntimeConfig.builder(List.of("/usr/bin/agent")).openshellPath(executable)
                    .createTimeout(Duration.ofSeconds(timeout[0])).build();
            OpenShellCli cli = OpenShellCli.verify(config, HostileCli.HOST);
            assertThat(cli.executable()).isEqualTo(executable);
            assertThat(cli.environment().asMap()).containsEntry("OPENSHELL_PROVISION_TIMEOUT", Long.toString(timeout[1]));
        }
    }

    @Test
    @DisplayName("a relative executable is an IllegalArgumentException; unverified has no version")
    void executable_isAbsolute() {
        assertThatThrownBy(() -> OpenShellCli.unverified(Path.of("openshell"), ENVIRONMENT))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OpenShellCli.verify(Path.of("openshell"), ENVIRONMENT))
                .isInstanceOf(IllegalArgumentException.class);
        OpenShellCli cli = OpenShellCli.unverified(Path.of("/opt/x/openshell"), ENVIRONMENT);
        assertThat(cli.version()).isEmpty();
        assertThat(cli.toString()).doesNotContain("/opt/x").contains("unverified");
        assertThat(cli).isEqualTo(OpenShellCli.unverified(Path.of("/opt/x/openshell"), ENVIRONMENT))
                .hasSameHashCodeAs(OpenShellCli.unverified(Path.of("/opt/x/openshell"), ENVIRONMENT));
        assertThat(OpenShellRunner.of(cli)).isNotNull();
    }

    @Test
    @DisplayName("an executable of another file system is an IllegalArgumentException")
    void executable_isOfTheDefaultFileSystem(@TempDir Path dir) throws Exception {
        try (FileSystem zip = FileSystems.newFileSystem(dir.resolve("x.zip"), Map.of("create", "true"))) {
            Path other = zip.getPath("/bin/openshell");
            assertThatThrownBy(() -> OpenShellCli.unverified(other, ENVIRONMENT)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> OpenShellCli.verify(other, ENVIRONMENT)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    @DisplayName("R18 a CLI that is too old is told with its version, a pre-release as one, and without its own text")
    void verify_saysWhichVersion() {
        for (String[] row : new String[][] {{"openshell 0.0.111\\n", "0.0.111"}, {"openshell 0.1.0-rc.1\\n", "0.1.0, a pre-release"}}) {
            assertThatThrownBy(() -> OpenShellCli.verify(answering(row[0]), ENVIRONMENT)).isInstanceOf(OpenShellRunnerError.class)
                    .hasMessageContaining("it is " + row[1]).hasMessageNotContaining("rc");
        }
    }

    @Test
    @DisplayName("verify passes on what it is told to, as OpenShellEnvironment.of does")
    void verify_passes() throws Exception {
        Map<String, String> host = Map.of("PATH", "/usr/bin:/bin", "HTTPS_PROXY", "http://proxy.example.com", "SECRET", "s");
        RuntimeConfig config = RuntimeConfig.builder(List.of("/usr/bin/agent"))
                .openshellPath(answering("openshell 0.1.2\\n")).gateway("g").build();

        OpenShellCli cli = OpenShellCli.verify(config, host, "HTTPS_PROXY", "NO_PROXY");

        assertThat(cli.environment()).isEqualTo(OpenShellEnvironment.of(config, host, "HTTPS_PROXY", "NO_PROXY"))
                .isNotEqualTo(OpenShellEnvironment.of(config, host));
        assertThat(cli.environment().asMap()).containsEntry("HTTPS_PROXY", "http://proxy.example.com").doesNotContainKey("SECRET");
        assertThatThrownBy(() -> OpenShellCli.verify(config, host, "SECRET")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("versions are ordered as SemVer 2.0 orders them")
    void version_hasSemVerPrecedence() {
        List<String> order = List.of("0.1.0-0", "0.1.0-1", "0.1.0-9", "0.1.0-10", "0.1.0-99999999999999999999", "0.1.0-alpha",
                "0.1.0-alpha.1", "0.1.0-alpha.beta", "0.1.0-beta", "0.1.0-beta.2", "0.1.0-beta.11", "0.1.0-rc.1", "0.1.0",
                "0.1.3-dev.4+g2bf9969", "0.1.3");
        List<OpenShellVersion> versions = order.stream().map(text -> OpenShellVersion.parse("openshell " + text)).toList();
        for (int i = 0; i < versions.size(); i++) {
            for (int j = 0; j < versions.size(); j++) {
                assertThat(Integer.signum(versions.get(i).compareTo(versions.get(j)))).isEqualTo(Integer.compare(i, j));
            }
        }
        OpenShellVersion build = OpenShellVersion.parse("openshell 0.1.3-dev.4+g2bf9969");
        assertThat(build.preRelease()).isEqualTo("dev.4");
        assertThat(build).hasToString("0.1.3-dev.4").isEqualTo(OpenShellVersion.parse("openshell 0.1.3-dev.4"))
                .hasSameHashCodeAs(OpenShellVersion.parse("openshell 0.1.3-dev.4+x"));
        assertThat(OpenShellVersion.parse("openshell 0.1.3").preRelease()).isEmpty();
        // As long as a captured answer can be.
        assertThat(OpenShellVersion.parse("openshell 1.0.0-" + "a.".repeat(131_000) + "a").preRelease()).hasSize(262_001);
    }

    @Test
    @DisplayName("versions are ordered by number")
    void version_isOrdered() {
        OpenShellVersion version = OpenShellVersion.parse("openshell 1.22.333\n");

        assertThat(List.of(version.major(), version.minor(), version.patch())).containsExactly(1, 22, 333);
        assertThat(version).hasToString("1.22.333").isEqualTo(OpenShellVersion.parse("openshell 1.22.333"))
                .hasSameHashCodeAs(OpenShellVersion.parse("openshell 1.22.333"));
        assertThat(List.of("0.1.9", "0.1.10", "0.10.0", "1.0.0").stream().map(v -> OpenShellVersion.parse("openshell " + v)))
                .isSorted();
        assertThatThrownBy(() -> OpenShellVersion.parse("openshell secret")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("secret");
    }
}
