// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("OpenShellArgv")
class OpenShellArgvTest {

    private static final SessionId SESSION = SessionId.of("s-1");

    private static RuntimeConfig.Builder config() {
        return RuntimeConfig.builder(List.of("/usr/bin/agent", "--env", "a b", "", "--", "é"));
    }

    private static WrittenPolicy written(Path dir, RuntimeConfig config) throws PolicyWriteException {
        return PolicyDocuments.write(dir, SESSION,
                PolicyDocuments.render(config.egressAllow(), config.workloadArgv().get(0)));
    }

    @Test
    @DisplayName("RT-03, RT-07 create, with nothing that is optional")
    void create_smallest(@TempDir Path dir) throws Exception {
        RuntimeConfig config = config().build();
        WrittenPolicy policy = written(dir, config);

        assertThat(OpenShellArgv.create(policy, config).asList()).containsExactly("openshell", "sandbox", "create",
                "--name", "realm-s-1", "--policy", dir.toRealPath() + "/realm-s-1.policy.json",
                "--label", "managed-by=openshell-runtime", "--no-tty", "--detach", "--",
                "/usr/bin/agent", "--env", "a b", "", "--", "é");
    }

    @Test
    @DisplayName("RT-03, RT-07 create, with owner and image")
    void create_largest(@TempDir Path dir) throws Exception {
        RuntimeConfig config = config().owner("d-1").image("registry.example.com/team/agent:1").gateway("g")
                .workspace("w").build();
        WrittenPolicy policy = written(dir, config);

        assertThat(OpenShellArgv.create(policy, config).asList()).containsExactly("openshell", "sandbox", "create",
                "--name", "realm-s-1", "--policy", dir.toRealPath() + "/realm-s-1.policy.json",
                "--label", "managed-by=openshell-runtime", "--label", "owner=d-1",
                "--from", "registry.example.com/team/agent:1", "--no-tty", "--detach", "--",
                "/usr/bin/agent", "--env", "a b", "", "--", "é");
    }

    @Test
    @DisplayName("RT-07, RT-05 create refuses a policy of another allowlist or workload")
    void create_refusesAnotherPolicy(@TempDir Path dir) throws Exception {
        RuntimeConfig narrow = config().egressAllow(List.of("api.example.com")).build();
        RuntimeConfig wide = config().egressAllow(List.of("api.example.com", "*.example.org")).build();
        RuntimeConfig other = RuntimeConfig.builder(List.of("/usr/bin/other"))
                .egressAllow(List.of("api.example.com", "*.example.org")).build();
        WrittenPolicy policy = written(dir, wide);

        assertThat(OpenShellArgv.create(policy, wide).asList()).contains(policy.path().toString());
        for (RuntimeConfig config : List.of(narrow, other, config().build())) {
            RefusedException refusal = Refusals.of(() -> OpenShellArgv.create(policy, config));
            assertThat(refusal.code()).isEqualTo(RefusedException.Code.ARGV_INVALID);
            assertThat(Refusals.summary(refusal)).containsExactly("POLICY_MISMATCH ");
        }
    }

    @Test
    @DisplayName("RT-03, AUD-02 exec")
    void exec_isExact() {
        assertThat(OpenShellArgv.exec(SESSION, List.of("git", "log", "--", "a.txt", "--name", "other")).asList())
                .containsExactly("openshell", "sandbox", "exec", "--name", "realm-s-1", "--workdir", "/workspace",
                        "--no-tty", "--no-login-shell", "--", "git", "log", "--", "a.txt", "--name", "other");
    }

    @Test
    @DisplayName("RT-03 get, list, delete, version")
    void otherVerbs_areExact() {
        RuntimeConfig plain = config().build();
        RuntimeConfig owned = config().owner("d-1").build();

        assertThat(OpenShellArgv.get(SESSION).asList())
                .containsExactly("openshell", "sandbox", "get", "realm-s-1", "-o", "json");
        assertThat(OpenShellArgv.delete(SESSION).asList())
                .containsExactly("openshell", "sandbox", "delete", "realm-s-1");
        assertThat(OpenShellArgv.version().asList()).containsExactly("openshell", "--version");
        assertThat(OpenShellArgv.list(plain).asList()).containsExactly("openshell", "sandbox", "list",
                "--selector", "managed-by=openshell-runtime", "--names");
        assertThat(OpenShellArgv.list(owned).asList()).containsExactly("openshell", "sandbox", "list",
                "--selector", "managed-by=openshell-runtime,owner=d-1", "--names");
        assertThat(OpenShellArgv.list(owned, "--all").asList()).containsExactly("openshell", "sandbox", "list",
                "--selector", "managed-by=openshell-runtime,owner=d-1", "--page-token=--all", "--names");
        assertThat(OpenShellArgv.MANAGED_LABEL + "=" + OpenShellArgv.MANAGED_LABEL_VALUE)
                .isEqualTo("managed-by=openshell-runtime");
    }

    @Test
    @DisplayName("AUD-02, RT-05 no form has a flag that opens the sandbox before its --")
    void forms_haveNoOpening(@TempDir Path dir) throws Exception {
        List<String> never = List.of("--env", "--provider", "--driver-config-json", "--forward", "--expose", "--template",
                "--auto-providers");
        RuntimeConfig config = config().owner("d-1").image("a/b:1").build();
        List<OpenShellArgv> forms = List.of(OpenShellArgv.create(written(dir, config), config),
                OpenShellArgv.exec(SESSION, List.of("--env", "A=1")), OpenShellArgv.get(SESSION),
                OpenShellArgv.delete(SESSION), OpenShellArgv.list(config), OpenShellArgv.list(config, "--env=A"),
                OpenShellArgv.version());

        for (OpenShellArgv form : forms) {
            List<String> argv = form.asList();
            int end = argv.indexOf("--") < 0 ? argv.size() : argv.indexOf("--");
            assertThat(argv.subList(0, end)).noneMatch(
                    word -> never.stream().anyMatch(flag -> word.equals(flag) || word.startsWith(flag + "=")));
        }
    }

    @Test
    @DisplayName("RT-03 an argv is frozen")
    void argv_isFrozen() {
        List<String> command = new ArrayList<>(List.of("ls"));
        OpenShellArgv argv = OpenShellArgv.exec(SESSION, command);
        command.add("-l");

        assertThat(argv.asList()).endsWith("--", "ls");
        assertThatThrownBy(() -> argv.asList().add("x")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> argv.asList().set(0, "x")).isInstanceOf(UnsupportedOperationException.class);
        assertThat(argv).isEqualTo(OpenShellArgv.exec(SESSION, List.of("ls")))
                .hasSameHashCodeAs(OpenShellArgv.exec(SESSION, List.of("ls")))
                .isNotEqualTo(OpenShellArgv.exec(SESSION, List.of("ls", "-l")));
        assertThat(argv).hasToString("OpenShellArgv[exec realm-s-1, elements=11]");
        assertThat(OpenShellArgv.version()).hasToString("OpenShellArgv[version, elements=2]");
    }

    @Test
    @DisplayName("R31, R33 a command is refused with all that is wrong, by index and size alone")
    void exec_refusesWithEverything() {
        List<String> command = List.of("", "ok", "se\0cret", "secret".repeat(6_000), "\ud800secret");

        RefusedException refusal = Refusals.of(() -> OpenShellArgv.exec(SESSION, command));

        assertThat(refusal.code()).isEqualTo(RefusedException.Code.ARGV_INVALID);
        assertThat(Refusals.summary(refusal)).containsExactly("COMMAND_EMPTY /argv/0", "ARGUMENT_CHARACTER /argv/2",
                "ARGUMENT_SIZE /argv/3", "ARGUMENT_CHARACTER /argv/4");
        assertThat(refusal.getMessage()).doesNotContain("secret").doesNotContain("cret");
        assertThat(Refusals.summary(Refusals.of(() -> OpenShellArgv.exec(SESSION, List.of()))))
                .containsExactly("COMMAND_EMPTY /argv");
    }

    @Test
    @DisplayName("exec takes 1,024 elements and no more")
    void exec_countIsBounded() {
        OpenShellArgv.exec(SESSION, Collections.nCopies(1_024, "x"));

        assertThat(Refusals.summary(Refusals.of(() -> OpenShellArgv.exec(SESSION, Collections.nCopies(1_025, "x")))))
                .containsExactly("ARGUMENT_COUNT /argv");
    }

    @Test
    @DisplayName("exec takes 32,768 bytes an element and no more, counted in UTF-8")
    void exec_elementIsBounded() {
        OpenShellArgv.exec(SESSION, List.of("x", "é".repeat(16_384)));

        assertThat(Refusals.summary(Refusals.of(() -> OpenShellArgv.exec(SESSION, List.of("x", "é".repeat(16_384) + "a")))))
                .containsExactly("ARGUMENT_SIZE /argv/1");
    }

    /** The total is what the gateway assembles; each row is a last element that fits exactly behind seven full ones. */
    @ParameterizedTest(name = "exec takes 262,144 bytes together as the gateway writes them: {0}")
    @ValueSource(strings = {"a", " ", "'", "é"})
    void exec_totalIsBounded(String filler) {
        int cost = filler.equals("'") ? 5 : filler.equals("é") ? 2 : 1;
        int quotes = filler.equals("a") ? 0 : 2;
        // "cd /workspace && " is 17 bytes; seven elements of 32,768 and the spaces between eight elements.
        int left = 262_144 - 17 - 7 * 32_768 - 7 - quotes;
        List<String> fits = new ArrayList<>(Collections.nCopies(7, "a".repeat(32_768)));
        fits.add(filler.repeat(left / cost) + "a".repeat(left % cost));
        List<String> over = new ArrayList<>(fits.subList(0, 7));
        over.add(fits.get(7) + "a");

        OpenShellArgv.exec(SESSION, fits);
        assertThat(Refusals.summary(Refusals.of(() -> OpenShellArgv.exec(SESSION, over))))
                .containsExactly("ARGUMENT_SIZE /argv");
    }

    @Test
    @DisplayName("an empty element costs two bytes and a space")
    void exec_emptyElementsCount() {
        // 17 + 32768 * 7 + 7 * 1 for the spaces; then 3 bytes for each empty element.
        List<String> command = new ArrayList<>(Collections.nCopies(7, "a".repeat(32_768)));
        command.add("a".repeat(262_144 - 17 - 7 * 32_768 - 7 - 3 * 10));
        command.addAll(Collections.nCopies(10, ""));

        OpenShellArgv.exec(SESSION, command);
        command.add("");
        assertThat(Refusals.summary(Refusals.of(() -> OpenShellArgv.exec(SESSION, command))))
                .containsExactly("ARGUMENT_SIZE /argv");
    }

    @ParameterizedTest(name = "a page token is 1 to 4,096 printable ASCII characters: {0}")
    @ValueSource(strings = {"", "\0", "a\n", "é", "\u007f", "\ud800"})
    void pageToken_isChecked(String token) {
        RuntimeConfig config = config().build();

        assertThat(Refusals.summary(Refusals.of(() -> OpenShellArgv.list(config, token)))).containsExactly("PAGE_TOKEN ");
        assertThat(Refusals.summary(Refusals.of(() -> OpenShellArgv.list(config, "x".repeat(4_097)))))
                .containsExactly("PAGE_TOKEN ");
        assertThat(OpenShellArgv.list(config, "x".repeat(4_096)).asList()).contains("--page-token=" + "x".repeat(4_096));
    }

    @Test
    @DisplayName("null is a NullPointerException")
    void nulls_areRefused() {
        List<String> withNull = new ArrayList<>();
        withNull.add(null);
        RuntimeConfig config = config().build();

        assertThatThrownBy(() -> OpenShellArgv.exec(SESSION, withNull)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> OpenShellArgv.exec(null, List.of("x"))).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> OpenShellArgv.get(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> OpenShellArgv.delete(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> OpenShellArgv.list(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> OpenShellArgv.list(config, null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> OpenShellArgv.create(null, config)).isInstanceOf(NullPointerException.class);
    }
}
