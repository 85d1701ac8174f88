// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("PolicyDocuments")
class PolicyDocumentsTest {

    private static final SessionId SESSION = SessionId.of("s-1");

    private static EgressAllowlist allow(String... entries) {
        return RuntimeConfig.builder(List.of("/usr/bin/agent")).egressAllow(List.of(entries)).build().egressAllow();
    }

    private static String golden(String name) throws Exception {
        try (var in = PolicyDocumentsTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    @Test
    @DisplayName("RT-05, D-103, D-57 an empty allowlist gives {} and the fixed sections")
    void render_empty() throws Exception {
        assertThat(PolicyDocuments.render(allow(), "/usr/bin/agent").json()).isEqualTo(golden("policy-empty.json"));
    }

    @Test
    @DisplayName("RT-05 hosts are sorted, ports are grouped and sorted as numbers")
    void render_grouped() throws Exception {
        PolicyDocument document = PolicyDocuments.render(
                allow("b.example.com:8443", "a.example.com:1000", "*.example.org", "B.example.com:99", "b.example.com"),
                "/usr/bin/agent");

        assertThat(document.json()).isEqualTo(golden("policy-hosts.json"));
        assertThat(document.toBytes()).isEqualTo(document.json().getBytes(StandardCharsets.UTF_8));
        assertThat(document.workloadBinary()).isEqualTo("/usr/bin/agent");
        assertThat(document.egressAllow().rules()).hasSize(5);
    }

    @Test
    @DisplayName("each WorkloadUser changes the process section and nothing else")
    void render_users() throws Exception {
        String standard = golden("policy-empty.json");
        String section = "\"process\": {\n    \"run_as_user\": \"1000\",\n    \"run_as_group\": \"1000\"\n  }";

        assertThat(render(WorkloadUser.standard())).isEqualTo(standard);
        assertThat(render(WorkloadUser.of(1000, 1000))).isEqualTo(standard);
        assertThat(render(WorkloadUser.of(1, 4_294_967_294L))).isEqualTo(standard.replace(section,
                section.replaceFirst("1000", "1").replaceFirst("1000", "4294967294")));
        assertThat(render(WorkloadUser.sandboxAccount())).isEqualTo(standard.replace(section,
                section.replace("1000", "sandbox")));
        assertThat(render(WorkloadUser.imageUser())).isEqualTo(standard.replace(section, "\"process\": {}"));
    }

    private static String render(WorkloadUser user) {
        return PolicyDocuments.render(allow(), "/usr/bin/agent", SandboxProfile.standard().withUser(user)).json();
    }

    @ParameterizedTest(name = "D-57 workload {0}, readable {1}: the document lists {2} after the standard paths")
    @CsvSource({
        "/usr/bin/agent, '', ''", "/opt/x/bin/agent, '', ''", "/workspace/agent, '', ''", "/tmp/x/agent, '', ''",
        "/app/bin/agent, '', /app/bin", "/agent, '', /agent", "/usr2/agent, '', /usr2", "/root/agent, '', /root",
        "/app/bin/agent, /app, /app", "/app/bin/agent, /app/bin, /app/bin", "/app/bin/agent, /app/bin2, '/app/bin /app/bin2'",
        "/app/agent, /app/data, /app", "/z/agent, '/models /data/x', '/z /data/x /models'", "/agent, /agents, '/agent /agents'",
        "/usr/bin/agent, '/usr /opt/x /etc /lib/x /workspace /tmp/x /bin2', /bin2", "/tmp/agent, /var/tmp, /var/tmp"})
    void render_readable(String workload, String readable, String listed) throws Exception {
        SandboxProfile profile = SandboxProfile.standard().withReadable(words(readable));

        String document = PolicyDocuments.render(allow(), workload, profile).json();

        String more = Stream.of(words(listed)).map(path -> ",\n      \"" + path + "\"").collect(Collectors.joining());
        assertThat(document).isEqualTo(golden("policy-empty.json").replace("\"/dev/zero\"", "\"/dev/zero\"" + more));
    }

    private static String[] words(String text) {
        return text.isEmpty() ? new String[0] : text.split(" ");
    }

    @Test
    @DisplayName("a user is never root and never out of range")
    void user_isChecked() {
        for (long bad : new long[] {0, -1, 4_294_967_295L, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertThatThrownBy(() -> WorkloadUser.of(bad, 1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> WorkloadUser.of(1, bad)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(WorkloadUser.of(1000, 1000)).isEqualTo(WorkloadUser.standard())
                .hasSameHashCodeAs(WorkloadUser.standard()).hasToString("1000:1000")
                .isNotEqualTo(WorkloadUser.imageUser());
        assertThat(WorkloadUser.sandboxAccount()).hasToString("sandbox:sandbox");
        assertThat(WorkloadUser.imageUser()).hasToString("image user");
    }

    @Test
    @DisplayName("D-79 render applies the config's rule to the workload binary")
    void render_checksTheBinary() {
        for (String bad : List.of("", "agent", "/", "/**", "/usr/bin/", "//a", "/a/../b", "/a b", "/é", "/a\0",
                "/" + "x".repeat(4_095), "/proc", "/proc/self/exe", "/sys", "/sys/x/agent", "/dev", "/dev/fd/3", "/run",
                "/run/agent", "/var/run", "/var/run/agent", "/.openshell", "/.openshell/x", "/opt/openshell",
                "/opt/openshell/bin/x")) {
            RefusedException refusal = Refusals.of(() -> PolicyDocuments.render(allow(), bad));
            assertThat(refusal.code()).isEqualTo(RefusedException.Code.POLICY_INVALID);
            assertThat(Refusals.summary(refusal)).containsExactly("WORKLOAD_BINARY ");
        }
        for (String good : List.of("/" + "x".repeat(4_094), "/system/x", "/runner", "/var/running/x", "/var/x", "/procs",
                "/opt/openshells/x")) {
            assertThat(PolicyDocuments.render(allow(), good).workloadBinary()).isEqualTo(good);
        }
    }

    @Test
    @DisplayName("the digest is the SHA-256 of the bytes")
    void document_hasItsDigest() {
        PolicyDocument document = PolicyDocuments.render(allow(), "/usr/bin/agent");

        assertThat(document.sha256()).isEqualTo("9139ee3607875e3c60c51d255e0c31561c4f1e3ef1b095bd51c5a6316c59b0f3");
        assertThat(document).isEqualTo(PolicyDocuments.render(allow(), "/usr/bin/agent"))
                .isNotEqualTo(PolicyDocuments.render(allow(), "/usr/bin/other"));
        document.toBytes()[0] = 'x';
        assertThat(document.toBytes()[0]).isEqualTo((byte) '{');
        assertThat(document.toString()).contains(document.sha256()).doesNotContain("\n");
    }

    @Test
    @DisplayName("RT-07 write makes the directory, the file is 0600 and holds exactly the bytes")
    void write_makesBoth(@TempDir Path dir) throws Exception {
        PolicyDocument document = PolicyDocuments.render(allow("api.example.com"), "/usr/bin/agent");

        WrittenPolicy written = PolicyDocuments.write(dir.resolve("policies"), SESSION, document);

        assertThat(written.path()).isEqualTo(dir.toRealPath().resolve("policies/realm-s-1.policy.json"));
        assertThat(Files.readAllBytes(written.path())).isEqualTo(document.toBytes());
        assertThat(mode(written.path())).isEqualTo("rw-------");
        assertThat(mode(written.path().getParent())).isEqualTo("rwx------");
        assertThat(list(written.path().getParent())).containsExactly("realm-s-1.policy.json");
        assertThat(written.session()).isEqualTo(SESSION);
        assertThat(written.sha256()).isEqualTo(document.sha256());
        assertThat(written.workloadBinary()).isEqualTo("/usr/bin/agent");
        assertThat(written.egressAllow()).isEqualTo(document.egressAllow());
        assertThat(written).isEqualTo(PolicyDocuments.write(dir.resolve("policies"), SESSION, document));
    }

    @Test
    @DisplayName("RT-07 write replaces a looser file and keeps the directory's mode")
    void write_replaces(@TempDir Path dir) throws Exception {
        Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path target = Files.writeString(dir.resolve("realm-s-1.policy.json"), "old");
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rw-rw-rw-"));
        PolicyDocument document = PolicyDocuments.render(allow(), "/usr/bin/agent");

        PolicyDocuments.write(dir, SESSION, document);

        assertThat(Files.readAllBytes(target)).isEqualTo(document.toBytes());
        assertThat(mode(target)).isEqualTo("rw-------");
        assertThat(mode(dir)).isEqualTo("rwxr-xr-x");
    }

    @Test
    @DisplayName("RT-07 what stands in the way is refused and nothing is left behind")
    void write_refuses(@TempDir Path dir) throws Exception {
        PolicyDocument document = PolicyDocuments.render(allow(), "/usr/bin/agent");
        Path loose = Files.createDirectory(dir.resolve("loose"));
        Files.setPosixFilePermissions(loose, PosixFilePermissions.fromString("rwxrwx---"));
        Path taken = Files.createDirectory(dir.resolve("taken"));
        Files.setPosixFilePermissions(taken, PosixFilePermissions.fromString("rwx------"));
        Files.createDirectories(taken.resolve("realm-s-1.policy.json/full"));
        Path file = Files.writeString(dir.resolve("file"), "x");

        assertUntouched(loose, loose.resolve("realm-s-1.policy.json"), document);
        assertUntouched(taken, taken.resolve("realm-s-1.policy.json"), document);
        assertUntouched(file, file.resolve("realm-s-1.policy.json"), document);
        assertUntouched(dir.resolve("no/parent"), dir.resolve("no/parent/realm-s-1.policy.json"), document);
        assertThat(list(loose)).isEmpty();
        assertThat(list(taken)).containsExactly("realm-s-1.policy.json");
        assertThat(dir.resolve("no")).doesNotExist();
    }

    private static void assertUntouched(Path directory, Path path, PolicyDocument document) {
        assertThatThrownBy(() -> PolicyDocuments.write(directory, SESSION, document))
                .isInstanceOfSatisfying(PolicyWriteException.class, e -> {
                    assertThat(e.committed()).isFalse();
                    assertThat(e.path()).isAbsolute();
                    assertThat(e.path().getFileName()).isEqualTo(path.getFileName());
                });
    }

    @Test
    @DisplayName("RT-07 an interrupted thread writes nothing and stays interrupted")
    void write_interrupted(@TempDir Path dir) throws Exception {
        PolicyDocument document = PolicyDocuments.render(allow(), "/usr/bin/agent");
        Files.setLastModifiedTime(dir, FileTime.fromMillis(0));
        Thread.currentThread().interrupt();
        try {
            assertUntouched(dir.resolve("new"), dir.resolve("new/realm-s-1.policy.json"), document);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
        assertThat(dir.resolve("new")).doesNotExist();
        // Nor was it there for a moment.
        assertThat(Files.getLastModifiedTime(dir)).isEqualTo(FileTime.fromMillis(0));
    }

    @Test
    @DisplayName("remove takes a file or a link away and says whether it was there")
    void remove_takesAway(@TempDir Path dir) throws Exception {
        WrittenPolicy written = PolicyDocuments.write(dir, SESSION, PolicyDocuments.render(allow(), "/usr/bin/agent"));
        Path elsewhere = Files.writeString(dir.resolve("elsewhere"), "kept");

        assertThat(PolicyDocuments.remove(written)).isTrue();
        assertThat(PolicyDocuments.remove(written)).isFalse();
        assertThat(PolicyDocuments.remove(dir, SESSION)).isFalse();
        assertThat(PolicyDocuments.remove(dir.resolve("missing"), SESSION)).isFalse();
        Files.createSymbolicLink(written.path(), elsewhere);
        assertThat(PolicyDocuments.remove(dir, SESSION)).isTrue();
        assertThat(elsewhere).hasContent("kept");
        Files.createDirectory(written.path());
        assertThatThrownBy(() -> PolicyDocuments.remove(dir, SESSION)).isInstanceOf(PolicyWriteException.class);
        assertThat(written.path()).isDirectory();
        Files.createFile(dir.resolve("realm-other.policy.json"));
        Thread.currentThread().interrupt();
        assertThat(PolicyDocuments.remove(dir, SessionId.of("other"))).isTrue();
        assertThat(PolicyDocuments.remove(dir, SessionId.of("other"))).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    @DisplayName("sweep takes old leftovers of ours and nothing else")
    void sweep_takesLeftovers(@TempDir Path dir) throws Exception {
        FileTime old = FileTime.from(Instant.now().minus(61, ChronoUnit.MINUTES));
        Path second = Files.writeString(dir.resolve("." + "b".repeat(32) + ".tmp"), "x");
        Path first = Files.writeString(dir.resolve("." + "a".repeat(32) + ".tmp"), "x");
        Path young = Files.writeString(dir.resolve("." + "c".repeat(32) + ".tmp"), "x");
        Path named = Files.writeString(dir.resolve("." + "A".repeat(32) + ".tmp"), "x");
        Path longer = Files.writeString(dir.resolve("." + "a".repeat(33) + ".tmp"), "x");
        Path policy = Files.writeString(dir.resolve("realm-a.policy.json"), "x");
        Path directory = Files.createDirectory(dir.resolve("." + "d".repeat(32) + ".tmp"));
        Path link = Files.createSymbolicLink(dir.resolve("." + "e".repeat(32) + ".tmp"), first);
        for (Path aged : List.of(first, second, named, longer, policy, directory)) {
            Files.setLastModifiedTime(aged, old);
        }

        assertThat(PolicyDocuments.sweep(dir)).containsExactly(dir.toRealPath().resolve(first.getFileName()),
                dir.toRealPath().resolve(second.getFileName()));
        assertThat(list(dir)).contains(young.getFileName().toString(), named.getFileName().toString(),
                longer.getFileName().toString(), policy.getFileName().toString(), directory.getFileName().toString(),
                link.getFileName().toString()).hasSize(6);
        assertThat(PolicyDocuments.sweep(dir)).isEmpty();
        assertThat(PolicyDocuments.sweep(dir.resolve("missing"))).isEmpty();
        assertThatThrownBy(() -> PolicyDocuments.sweep(policy)).isInstanceOfSatisfying(PolicyWriteException.class,
                e -> assertThat(e.path()).isEqualTo(policy));
    }

    @Test
    @DisplayName("the sessions of a directory are those of its policies: files and links, exactly named")
    void sessions_haveAPolicy(@TempDir Path dir) throws Exception {
        PolicyDocument document = PolicyDocuments.render(allow(), "/usr/bin/agent");
        for (String id : List.of("b", "a", "a-b", "abcdefghijklm")) {
            PolicyDocuments.write(dir, SessionId.of(id), document);
        }
        Files.createSymbolicLink(dir.resolve("realm-link.policy.json"), dir.resolve("nothing"));
        Files.createDirectory(dir.resolve("realm-dir.policy.json"));
        for (String other : List.of(".policy.json", "realm-.policy.json", "realm-A.policy.json", "realm-a--b.policy.json",
                "realm-abcdefghijklmn.policy.json", "realm-c.policy.json.tmp", "xrealm-c.policy.json", "realm-c.policy.jsonx",
                "realm-c", "realm-c.json", "." + "a".repeat(32) + ".tmp", "c.policy.json", "realm-c .policy.json")) {
            Files.createFile(dir.resolve(other));
        }

        assertThat(PolicyDocuments.sessions(dir)).isUnmodifiable().extracting(SessionId::value)
                .containsExactlyInAnyOrder("a", "a-b", "abcdefghijklm", "b", "link");
        assertThat(PolicyDocuments.sessions(dir.resolve("missing"))).isEmpty();
    }

    static String mode(Path path) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    static List<String> list(Path directory) throws Exception {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }
}
