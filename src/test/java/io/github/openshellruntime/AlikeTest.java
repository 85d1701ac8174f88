// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import example.StandIn;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What stands in for OpenShell answers alike; {@code ContractAlikeTest} compares it with the real CLI. */
@DisplayName("Alike")
class AlikeTest {

    @TempDir
    private Path home;

    private static List<RawCalls.Answer> plain(List<RawCalls.Answer> answers) {
        return answers.stream().map(answer ->
                new RawCalls.Answer(answer.call(), answer.exitCode(), answer.stdout(), plain(answer.stderr()))).toList();
    }

    /** Without what the script says of itself, and without the breaks of lines: it makes none. */
    private static String plain(String stderr) {
        return stderr.replace("openshell stand-in: not OpenShell, nothing is contained\n", "").replaceAll("[\\s\u2502]", "");
    }

    @Test
    @DisplayName("RT-03 the gateway in memory and the stand-in CLI answer each call of a script with the same code and text")
    void inMemory_isAsTheStandIn() throws Exception {
        Path directory = home.resolve("policies");

        assertThat(plain(RawCalls.answers(AnyOpenShell.inMemory(), directory))).hasSize(38)
                .containsExactlyElementsOf(plain(RawCalls.answers(AnyOpenShell.standIn(StandIn.install(home)), directory)));
    }

    @Test
    @DisplayName("so is what only a later OpenShell does: version, pages with tokens, delete of an absent realm is exit 1")
    void inMemory_isAsTheStandInInPages() throws Exception {
        AnyOpenShell inMemory = AnyOpenShell.inMemory();
        AnyOpenShell standIn = AnyOpenShell.standIn(StandIn.install(home));
        RuntimeConfig config = RuntimeConfig.builder(List.of("/usr/bin/agent")).build();
        for (int i = 0; i < 101; i++) {
            WrittenPolicy policy = PolicyDocuments.write(home.resolve("policies"), SessionId.of("a" + i),
                    PolicyDocuments.render(config.egressAllow(), "/usr/bin/agent"));
            OpenShellArgv create = OpenShellArgv.create(policy, config);
            run(inMemory, create);
            run(standIn, create);
        }
        for (List<OpenShellRunOutcome> each : List.of(pages(inMemory, config), pages(standIn, config))) {
            assertThat(each.get(0).stdout().text().lines()).hasSize(100).startsWith("realm-a0").endsWith("realm-a99");
            assertThat(each.get(0).stderr().text()).matches("Next page token: [ -~]+\n");
            assertThat(each.get(1).stdout().text()).isEqualTo("realm-a100\n");
            assertThat(each.get(1).stderr().text()).isEmpty();
        }
        for (OpenShellArgv argv : List.of(OpenShellArgv.version(), OpenShellArgv.list(config, "no token"),
                OpenShellArgv.delete(SessionId.of("absent")))) {
            OpenShellRunOutcome expected = run(standIn, argv);
            OpenShellRunOutcome answer = run(inMemory, argv);
            assertThat(answer.exitCode()).isEqualTo(expected.exitCode());
            assertThat(answer.stdout()).isEqualTo(expected.stdout());
            assertThat(plain(answer.stderr().text())).isEqualTo(plain(expected.stderr().text()));
        }
    }

    private static OpenShellRunOutcome run(AnyOpenShell openShell, OpenShellArgv argv) throws Exception {
        return openShell.runner().run(argv, OpenShellRunOptions.capturing(Duration.ofSeconds(60)));
    }

    private static List<OpenShellRunOutcome> pages(AnyOpenShell openShell, RuntimeConfig config) throws Exception {
        List<OpenShellRunOutcome> pages = new ArrayList<>(List.of(run(openShell, OpenShellArgv.list(config))));
        pages.add(run(openShell, OpenShellArgv.list(config, RealmPage.of(pages.get(0)).nextPageToken().orElseThrow())));
        return pages;
    }
}
