// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.openshellruntime.CapturedOutput;
import io.github.openshellruntime.OpenShellArgv;
import io.github.openshellruntime.OpenShellArgv.Verb;
import io.github.openshellruntime.OpenShellRunOptions;
import io.github.openshellruntime.OpenShellRunOutcome;
import io.github.openshellruntime.OpenShellRunnerError;
import io.github.openshellruntime.PolicyDocument;
import io.github.openshellruntime.PolicyDocuments;
import io.github.openshellruntime.RealmPage;
import io.github.openshellruntime.RealmState;
import io.github.openshellruntime.RealmState.PolicyInForce;
import io.github.openshellruntime.RuntimeConfig;
import io.github.openshellruntime.SandboxPhase;
import io.github.openshellruntime.SandboxProfile;
import io.github.openshellruntime.SessionId;
import io.github.openshellruntime.WorkloadUser;
import io.github.openshellruntime.WrittenPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The gateway in memory by itself. That it answers as the CLI does is the business of {@code AlikeTest}. */
@DisplayName("InMemoryOpenShell")
class InMemoryOpenShellTest {

    private static final OpenShellRunOptions CAPTURING = OpenShellRunOptions.capturing(Duration.ofSeconds(10));
    private static final SessionId A = SessionId.of("a");

    @TempDir
    private Path directory;
    private final InMemoryOpenShell openShell = new InMemoryOpenShell();
    private RuntimeConfig config;

    @BeforeEach
    void configure() {
        config = config("d-1", List.of());
    }

    private static RuntimeConfig config(String owner, List<String> egressAllow) {
        List<String> workload = List.of("/usr/bin/agent", "--policy", "x", "--label", "no=label");
        RuntimeConfig.Builder builder = RuntimeConfig.builder(workload).egressAllow(egressAllow);
        return owner == null ? builder.build() : builder.owner(owner).build();
    }

    private static OpenShellRunOutcome outcome(int exitCode, String stdout) {
        return OpenShellRunOutcome.captured(exitCode, Duration.ofMillis(7), CapturedOutput.ofText(stdout),
                CapturedOutput.ofText(""));
    }

    private OpenShellRunOutcome run(OpenShellArgv argv) throws InterruptedException {
        return openShell.run(argv, CAPTURING);
    }

    private OpenShellArgv createArgv(SessionId session, RuntimeConfig of) throws Exception {
        return OpenShellArgv.create(PolicyDocuments.write(directory.resolve("policies"), session, document(of)), of);
    }

    private static PolicyDocument document(RuntimeConfig of) {
        return PolicyDocuments.render(of.egressAllow(), of.workloadArgv().get(0));
    }

    private OpenShellRunOutcome create(SessionId session, RuntimeConfig of) throws Exception {
        return run(createArgv(session, of));
    }

    private RealmState state(SessionId session) throws Exception {
        return RealmState.of(run(OpenShellArgv.get(session)));
    }

    private static void assertFailed(OpenShellRunOutcome outcome, String stderr) {
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.stdout().text()).isEmpty();
        assertThat(outcome.stderr().text()).isEqualTo(stderr);
    }

    @Test
    @DisplayName("a realm that was created is Ready, with its labels, its policy and the time")
    void get_showsWhatWasCreated() throws Exception {
        Instant before = Instant.now();
        OpenShellRunOutcome created = create(A, config);

        assertThat(created.exitCode()).isZero();
        assertThat(created.elapsed()).isZero();
        assertThat(created.stdout().text()).contains("Created sandbox:", "realm-a");
        assertThat(created.stderr().text()).isEmpty();
        RealmState state = state(A);
        assertThat(state.phase()).isEqualTo(SandboxPhase.READY);
        assertThat(state.labels()).hasSize(2).containsEntry("managed-by", "openshell-runtime").containsEntry("owner", "d-1");
        assertThat(state.createdAt().orElseThrow()).isBetween(before.minusSeconds(1), Instant.now());
        assertThat(state.policy(document(config))).isEqualTo(PolicyInForce.SAME);
        assertThat(state.policy(document(config("d-1", List.of("example.com"))))).isEqualTo(PolicyInForce.DIFFERENT);
        assertThat(state.exitCode()).isEmpty();
    }

    @Test
    @DisplayName("an absent realm: get, exec and delete are exit 1, sandbox not found")
    void absent_isNotFound() throws Exception {
        String notFound = "Error:   \u00d7 code: 'Some requested entity was not found', message: \"sandbox not found\"\n\n";
        create(SessionId.of("b"), config);

        assertFailed(run(OpenShellArgv.get(A)), notFound);
        assertFailed(run(OpenShellArgv.exec(A, List.of("true"))), notFound);
        assertFailed(run(OpenShellArgv.delete(A)), notFound);
        assertThat(state(A).phase()).isEqualTo(SandboxPhase.ABSENT);
        assertThat(state(SessionId.of("b")).phase()).isEqualTo(SandboxPhase.READY);
    }

    @Test
    @DisplayName("a name that is taken is exit 1, and the realm that has it stays as it is")
    void taken_isExit1() throws Exception {
        create(A, config);
        RealmState state = state(A);

        assertFailed(create(A, config("d-2", List.of("example.com"))),
                "Error:   \u00d7 sandbox 'realm-a' already exists\n  \u2502 \n"
                + "  \u2502 hint: delete it first with: openshell sandbox delete <name>\n"
                + "  \u2502       or use a different name\n\n");
        assertThat(state(A)).isEqualTo(state);
    }

    @Test
    @DisplayName("a policy file that is missing, unreadable or not of this library's form is exit 1, and makes no realm")
    void policyFile_isRead() throws Exception {
        OpenShellArgv argv = createArgv(A, config);
        Path file = directory.resolve("policies/realm-a.policy.json");
        String written = Files.readString(file);

        for (String other : List.of("", "{}", written.strip(), written + "\n",
                written.replace("\"version\": 1", "\"version\": 2"), written.replace("landlock", "landlocks"),
                written.replace("\"1000\"", "null"), "\u00ff")) {
            Files.writeString(file, other);
            assertThat(run(argv).stderr().text())
                    .startsWith("Error:   \u00d7 failed to parse sandbox policy YAML\n  \u2570\u2500\u25b6 ");
        }
        Files.write(file, new byte[] {(byte) 0xFF});
        assertThat(run(argv).stderr().text()).startsWith("Error:   \u00d7 failed to read sandbox policy from ")
                .endsWith("\n  \u2570\u2500\u25b6 it cannot be read\n\n");
        Files.delete(file);
        OpenShellRunOutcome missing = run(argv);
        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.stderr().text().replaceAll("\n  \u2502 ", "")).contains("failed to read sandbox policy from")
                .contains("realm-a.policy.json\n  \u2570\u2500\u25b6 No such file or directory (os error 2)\n\n");
        assertThat(state(A).phase()).isEqualTo(SandboxPhase.ABSENT);
    }

    @Test
    @DisplayName("a deleted realm is absent at once, and its name is free for a new one")
    void delete_removes() throws Exception {
        create(A, config);
        assertThat(run(OpenShellArgv.delete(A)).exitCode()).isZero();
        assertThat(state(A).phase()).isEqualTo(SandboxPhase.ABSENT);
        assertThat(create(A, config("d-2", List.of())).exitCode()).isZero();
        assertThat(state(A).labels()).containsEntry("owner", "d-2");
    }

    @Test
    @DisplayName("every policy that this library writes shows as the same policy, in the gateway's form")
    void policyInForce_isWhatWasWritten() throws Exception {
        Random random = new Random(18);
        List<WorkloadUser> users = List.of(WorkloadUser.standard(), WorkloadUser.of(7, 8), WorkloadUser.sandboxAccount(),
                WorkloadUser.imageUser());
        for (int i = 0; i < 60; i++) {
            List<String> entries = Stream
                    .generate(() -> "h" + random.nextInt(4) + ".example.com:" + (440 + random.nextInt(4)))
                    .limit(random.nextInt(8)).distinct().toList();
            SandboxProfile profile = SandboxProfile.standard().withUser(users.get(i % 4))
                    .withReadable(Stream.of("/models", "/var/log", "/$1%s").limit(random.nextInt(4)).toArray(String[]::new));
            RuntimeConfig of = RuntimeConfig.builder(List.of(i % 3 == 0 ? "/srv/$0/%d" : "/usr/bin/agent"))
                    .egressAllow(entries).build();
            PolicyDocument document = PolicyDocuments.render(of.egressAllow(), of.workloadArgv().get(0), profile);
            WrittenPolicy written = PolicyDocuments.write(directory.resolve("policies"), A, document);
            assertThat(run(OpenShellArgv.create(written, of)).exitCode()).isZero();

            String answer = run(OpenShellArgv.get(A)).stdout().text();
            assertThat(state(A).policy(document)).as(answer).isEqualTo(PolicyInForce.SAME);
            assertThat(answer.contains("\"network_policies\"")).isEqualTo(!entries.isEmpty());
            assertThat(answer.contains("\"process\"")).isEqualTo(i % 4 != 3);
            boolean log = !entries.isEmpty() || profile.readable().contains("/var/log");
            assertThat(answer.split("\"/var/log\"", -1)).hasSize(log ? 2 : 1);
            assertThat(run(OpenShellArgv.delete(A)).exitCode()).isZero();
        }
    }

    @Test
    @DisplayName("the largest policy is shown, too: 128 hosts, 32 directories of 255 characters")
    void policyInForce_ofTheLargestPolicy() throws Exception {
        String domain = ".%s.%s.%s.example.com".formatted("b".repeat(60), "c".repeat(60), "d".repeat(60));
        RuntimeConfig of = config("d-1",
                IntStream.range(0, 128).mapToObj(i -> "a" + i + domain + ":" + (1_000 + i)).toList());
        SandboxProfile profile = SandboxProfile.standard()
                .withReadable(IntStream.range(10, 42).mapToObj(i -> "/" + "d".repeat(252) + i).toArray(String[]::new));
        PolicyDocument document = PolicyDocuments.render(of.egressAllow(), "/usr/bin/agent", profile);
        WrittenPolicy written = PolicyDocuments.write(directory.resolve("policies"), A, document);
        assertThat(run(OpenShellArgv.create(written, of)).exitCode()).isZero();
        assertThat(state(A).policy(document)).isEqualTo(PolicyInForce.SAME);
    }

    @Test
    @DisplayName("policySource shows another source, whatever it is, until it is set back")
    void policySource_isShown() throws Exception {
        create(A, config);
        PolicyDocument document = document(config);
        Map<String, String> sources = Map.of("global", "global", "", "", "two words", "two words",
                "a\"b\\c\n\u0001\u001f\u00e9", "a\\u0022b\\u005cc\\u000a\\u0001\\u001f\u00e9");
        for (Map.Entry<String, String> source : sources.entrySet()) {
            assertThat(openShell.policySource(source.getKey())).isSameAs(openShell);
            assertThat(run(OpenShellArgv.get(A)).stdout().text()).contains("\"policy_source\": \"" + source.getValue() + "\",\n");
            assertThat(state(A).policy(document)).isEqualTo(PolicyInForce.DIFFERENT);
        }
        assertThat(openShell.policySource("sandbox")).isSameAs(openShell);
        assertThat(state(A).policy(document)).isEqualTo(PolicyInForce.SAME);
    }

    @Test
    @DisplayName("provisioning: so many looks at a new realm say Provisioning, and no command runs before the last")
    void provisioning_countsLooks() throws Exception {
        assertThat(openShell.provisioning(2)).isSameAs(openShell);
        create(A, config);
        openShell.provisioning(0);
        create(SessionId.of("b"), config);

        assertThat(state(A).phase()).isEqualTo(SandboxPhase.PROVISIONING);
        assertFailed(run(OpenShellArgv.exec(A, List.of("true"))), "Error:   \u00d7 sandbox 'realm-a' is not ready"
                + " (phase: Provisioning); wait for it to reach\n  \u2502 Ready state\n\n");
        assertThat(state(SessionId.of("b")).phase()).isEqualTo(SandboxPhase.READY);
        assertThat(state(A).phase()).isEqualTo(SandboxPhase.PROVISIONING);
        assertThat(state(A).phase()).isEqualTo(SandboxPhase.READY);
        assertThat(run(OpenShellArgv.exec(A, List.of("true"))).exitCode()).isZero();
        assertThat(state(A).phase()).isEqualTo(SandboxPhase.READY);
        assertThatThrownBy(() -> openShell.provisioning(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("list has the realms of an owner, the oldest first, 100 a page, each once, also where realms go in between")
    void list_hasPages() throws Exception {
        for (int i = 0; i < 100; i++) {
            create(SessionId.of("a" + i), config(i % 50 == 7 ? "d-2" : "d-1", List.of()));
        }
        assertThat(RealmPage.of(run(OpenShellArgv.list(config(null, List.of())))).nextPageToken()).isEmpty();
        for (int i = 100; i < 203; i++) {
            create(SessionId.of("a" + i), config);
        }
        assertThat(names("d-2")).containsExactly("a7", "a57");
        assertThat(names("d-3")).isEmpty();
        assertThat(names("d-1")).hasSize(201).doesNotHaveDuplicates().startsWith("a0", "a1").endsWith("a202");
        assertThat(names(null)).hasSize(203);

        RealmPage first = RealmPage.of(run(OpenShellArgv.list(config)));
        assertThat(first.sessions()).hasSize(100);
        for (SessionId session : first.sessions()) {
            run(OpenShellArgv.delete(session));
        }
        RealmPage second = RealmPage.of(run(OpenShellArgv.list(config, first.nextPageToken().orElseThrow())));
        assertThat(second.sessions()).hasSize(100).doesNotContainAnyElementsOf(first.sessions());
        OpenShellRunOutcome refused = run(OpenShellArgv.list(config, "no token"));
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.stderr().text()).contains("invalid page");
    }

    /** The sessions on all pages. */
    private List<String> names(String owner) throws Exception {
        RuntimeConfig of = config(owner, List.of());
        List<String> names = new ArrayList<>();
        RealmPage page = RealmPage.of(run(OpenShellArgv.list(of)));
        page.sessions().forEach(session -> names.add(session.value()));
        while (page.nextPageToken().isPresent()) {
            page = RealmPage.of(run(OpenShellArgv.list(of, page.nextPageToken().get())));
            page.sessions().forEach(session -> names.add(session.value()));
        }
        return names;
    }

    @Test
    @DisplayName("exec: every command is exit 0 without output, until onExec answers; what it throws, the call throws")
    void onExec_answers() throws Exception {
        create(A, config);
        OpenShellArgv argv = OpenShellArgv.exec(A, List.of("/bin/x", "1"));
        assertThat(run(argv).exitCode()).isZero();
        assertThat(run(argv).stdout().totalBytes() + run(argv).stderr().totalBytes()).isZero();

        List<OpenShellArgv> asked = new ArrayList<>();
        assertThat(openShell.onExec(call -> {
            asked.add(call);
            return outcome(7, "out");
        })).isSameAs(openShell);
        assertThat(run(argv)).isEqualTo(outcome(7, "out"));
        assertThat(run(OpenShellArgv.exec(SessionId.of("none"), List.of("x"))).exitCode()).isEqualTo(1);
        assertThat(asked).containsExactly(argv);

        OpenShellRunnerError error = OpenShellRunnerError.failed(OpenShellRunnerError.Reason.OUTPUT_FAILED);
        openShell.onExec(call -> {
            throw error;
        });
        assertThatThrownBy(() -> run(argv)).isSameAs(error);
        openShell.onExec(call -> null);
        assertThatThrownBy(() -> run(argv)).isInstanceOf(NullPointerException.class).hasMessageContaining("onExec");
    }

    @Test
    @DisplayName("onExec is asked outside the lock: commands run side by side, and may use the gateway")
    void onExec_isAskedOutsideTheLock() throws Exception {
        create(A, config);
        CountDownLatch both = new CountDownLatch(2);
        openShell.onExec(argv -> {
            both.countDown();
            try {
                both.await();
                ExecutorService other = Executors.newSingleThreadExecutor();
                try {
                    return other.submit(() -> run(OpenShellArgv.get(A))).get();
                } finally {
                    other.shutdown();
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try {
            List<Future<OpenShellRunOutcome>> runs = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                runs.add(pool.submit(() -> run(OpenShellArgv.exec(A, List.of("x")))));
            }
            for (Future<OpenShellRunOutcome> run : runs) {
                assertThat(SandboxPhase.of(run.get())).isEqualTo(SandboxPhase.READY);
            }
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    @DisplayName("answer and fail end the next calls of their verb, in order, and the gateway does not change")
    void answers_standIn() throws Exception {
        OpenShellRunnerError late = OpenShellRunnerError.timedOut(Duration.ofSeconds(1), CapturedOutput.ofText("x"),
                CapturedOutput.ofText(""));
        assertThat(openShell.answer(Verb.CREATE, outcome(3, "three")).fail(Verb.CREATE, late)
                .answer(Verb.CREATE, outcome(0, ""))).isSameAs(openShell);
        assertThat(create(A, config)).isEqualTo(outcome(3, "three"));
        assertThatThrownBy(() -> create(A, config)).isSameAs(late);
        assertThat(create(A, config)).isEqualTo(outcome(0, ""));
        assertThat(state(A).phase()).isEqualTo(SandboxPhase.ABSENT);

        create(A, config);
        for (Verb verb : Verb.values()) {
            openShell.answer(verb, outcome(9, verb.name()));
        }
        openShell.onExec(argv -> {
            throw new AssertionError("the answer stands in for the command");
        });
        for (OpenShellArgv argv : List.of(createArgv(A, config), OpenShellArgv.exec(A, List.of("x")), OpenShellArgv.get(A),
                OpenShellArgv.list(config), OpenShellArgv.delete(A), OpenShellArgv.version())) {
            assertThat(run(argv)).isEqualTo(outcome(9, argv.verb().name()));
        }
        assertThat(state(A).phase()).isEqualTo(SandboxPhase.READY);
        assertThat(run(OpenShellArgv.version()).stdout().text()).isEqualTo("openshell 0.1.2\n");
        assertThat(RealmPage.of(run(OpenShellArgv.list(config))).sessions()).containsExactly(A);
    }

    @Test
    @DisplayName("capturing options give a captured outcome, whatever a test has made")
    void capturing_isCaptured() throws Exception {
        InMemoryOpenShell openShell = new InMemoryOpenShell().answer(Verb.VERSION, OpenShellRunOutcome.discarded(3, Duration.ZERO));

        assertThat(openShell.run(OpenShellArgv.version(), OpenShellRunOptions.capturing(Duration.ofSeconds(1))))
                .isEqualTo(OpenShellRunOutcome.captured(3, Duration.ZERO, CapturedOutput.ofText(""), CapturedOutput.ofText("")));
    }

    @Test
    @DisplayName("discarding options give a discarded outcome, of answers and of onExec as well")
    void discarding_isDiscarded() throws Exception {
        OpenShellRunOptions discarding = OpenShellRunOptions.discarding(Duration.ofSeconds(1));
        OpenShellArgv argv = createArgv(A, config);

        assertThat(openShell.run(argv, discarding)).isEqualTo(OpenShellRunOutcome.discarded(0, Duration.ZERO));
        assertThat(openShell.run(argv, discarding)).isEqualTo(OpenShellRunOutcome.discarded(1, Duration.ZERO));
        openShell.onExec(call -> outcome(7, "out")).answer(Verb.EXEC, outcome(8, "out"));
        OpenShellArgv exec = OpenShellArgv.exec(A, List.of("x"));
        assertThat(openShell.run(exec, discarding)).isEqualTo(OpenShellRunOutcome.discarded(8, Duration.ofMillis(7)));
        assertThat(openShell.run(exec, discarding)).isEqualTo(OpenShellRunOutcome.discarded(7, Duration.ofMillis(7)));
    }

    @Test
    @DisplayName("an interrupted thread gets InterruptedException, its flag is cleared, and nothing happens")
    void interrupted_doesNothing() throws Exception {
        OpenShellArgv argv = createArgv(A, config);
        openShell.answer(Verb.GET, outcome(0, "kept"));
        for (OpenShellArgv each : List.of(argv, OpenShellArgv.get(A))) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> run(each)).isInstanceOf(InterruptedException.class);
            assertThat(Thread.interrupted()).isFalse();
        }
        assertThat(openShell.calls()).isEmpty();
        assertThat(run(OpenShellArgv.get(A)).stdout().text()).isEqualTo("kept");
        assertThat(state(A).phase()).isEqualTo(SandboxPhase.ABSENT);
    }

    @Test
    @DisplayName("calls has every argv in its order, those that failed or were answered too; a copy")
    void calls_areKept() throws Exception {
        openShell.fail(Verb.LIST, OpenShellRunnerError.failed(OpenShellRunnerError.Reason.LAUNCH_FAILED));
        List<OpenShellArgv> none = openShell.calls();
        List<OpenShellArgv> all = List.of(OpenShellArgv.version(), OpenShellArgv.list(config), createArgv(A, config),
                OpenShellArgv.exec(A, List.of("x")), OpenShellArgv.get(A), OpenShellArgv.delete(A), OpenShellArgv.delete(A));
        for (OpenShellArgv argv : all) {
            try {
                run(argv);
            } catch (OpenShellRunnerError e) {
                assertThat(argv.verb()).isEqualTo(Verb.LIST);
            }
        }
        assertThat(none).isEmpty();
        assertThat(openShell.calls()).isEqualTo(all).isUnmodifiable();
    }

    @Test
    @DisplayName("null is refused everywhere, before anything happens")
    void null_isRefused() {
        for (Runnable call : List.<Runnable>of(() -> openShell.onExec(null), () -> openShell.answer(null, outcome(0, "")),
                () -> openShell.answer(Verb.GET, null), () -> openShell.policySource(null),
                () -> openShell.fail(Verb.GET, null),
                () -> openShell.fail(null, OpenShellRunnerError.failed(OpenShellRunnerError.Reason.LAUNCH_FAILED)))) {
            assertThatThrownBy(call::run).isInstanceOf(NullPointerException.class);
        }
        assertThatThrownBy(() -> openShell.run(null, CAPTURING)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> openShell.run(OpenShellArgv.version(), null)).isInstanceOf(NullPointerException.class);
        assertThat(openShell.calls()).isEmpty();
    }

    @Test
    @DisplayName("of 64 creates of one name at once one makes the realm; each call is kept")
    void creates_atOnce() throws Exception {
        OpenShellArgv argv = createArgv(A, config);
        ExecutorService pool = Executors.newFixedThreadPool(16);
        try {
            List<Future<Integer>> codes = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                codes.add(pool.submit(() -> run(argv).exitCode()));
            }
            int made = 0;
            for (Future<Integer> code : codes) {
                made += code.get() == 0 ? 1 : 0;
            }
            assertThat(made).isEqualTo(1);
            assertThat(openShell.calls()).hasSize(64);
        } finally {
            pool.shutdownNow();
        }
    }
}
