// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.openshellruntime.RealmException.Reason;
import io.github.openshellruntime.RealmException.Step;
import io.github.openshellruntime.RealmState.PolicyInForce;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lives of realms. They run over the gateway in memory, over the stand-in CLI, and over the real CLI. */
abstract class LifecycleSuite {

    static final SessionId A = SessionId.of("a");
    static final SessionId B = SessionId.of("b");
    static final SessionId C = SessionId.of("c");

    @TempDir
    Path home;
    AnyOpenShell openShell;

    abstract AnyOpenShell openShell() throws Exception;

    @BeforeEach
    void start() throws Exception {
        openShell = openShell();
    }

    @AfterEach
    void stop() throws Exception {
        openShell.stop();
    }

    static RuntimeConfig.Builder config(String owner) {
        return RuntimeConfig.builder(List.of("/usr/bin/agent", "serve"))
                .egressAllow(List.of("api.example.com", "*.example.org:8443"))
                .owner(owner).createTimeout(Duration.ofSeconds(30));
    }

    /** The realms of a dispatcher, with a policy directory of its own. */
    Realms realms(String owner) {
        return Realms.of(openShell.runner(), config(owner).build(), policies(owner));
    }

    private Path policies(String owner) {
        return home.resolve("policies-" + owner);
    }

    void assertGone(SessionId session, String owner) throws Exception {
        assertThat(realms(owner).state(session).phase()).isEqualTo(SandboxPhase.ABSENT);
        assertThat(policies(owner).resolve(session.sandboxName() + ".policy.json")).doesNotExist();
    }

    void assertThere(SessionId session, String owner) throws Exception {
        assertThat(realms(owner).state(session).labels()).containsEntry("owner", owner);
        assertThat(policies(owner).resolve(session.sandboxName() + ".policy.json")).exists();
    }

    static void assertFails(Step step, Reason reason, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(RealmException.class, e -> {
            assertThat(e.step()).isEqualTo(step);
            assertThat(e.reason()).isEqualTo(reason);
            assertThat(e.leftBehind()).isFalse();
            assertThat(e.getSuppressed()).isEmpty();
        });
    }

    @Test
    @DisplayName("RT-03, RT-07 a realm is opened, shows what was proved, runs a command, and is closed without a trace")
    void life_ofARealm() throws Exception {
        Realms realms = realms("d-1");
        RealmState opened = realms.open(A);

        assertThat(opened.phase()).isEqualTo(SandboxPhase.READY);
        assertThat(opened.labels()).isEqualTo(Map.of("managed-by", "openshell-runtime", "owner", "d-1"));
        assertThat(opened.createdAt()).isPresent();
        assertThat(opened.policy(realms.policy())).isEqualTo(PolicyInForce.SAME);
        assertThat(realms.state(A)).isEqualTo(opened);
        assertThat(realms.list()).containsExactly(A);
        assertThat(policies("d-1").resolve("realm-a.policy.json")).content().isEqualTo(realms.policy().json());

        OpenShellRunOutcome outcome = realms.exec(A, AnyOpenShell.COMMAND);
        assertThat(outcome.exitCode()).isEqualTo(7);
        assertThat(outcome.stdout().text()).isEqualTo("out\n");
        assertThat(outcome.stderr().text()).isEqualTo("err\n");
        OpenShellRunOutcome discarded =
                realms.exec(A, AnyOpenShell.COMMAND, OpenShellRunOptions.discarding(Duration.ofSeconds(20)));
        assertThat(discarded.exitCode()).isEqualTo(7);
        assertThat(discarded.captured()).isFalse();

        realms.close(A);
        assertGone(A, "d-1");
        assertThat(realms.list()).isEmpty();
        assertThat(policies("d-1")).isEmptyDirectory();
    }

    @Test
    @DisplayName("RT-03 a realm that is there already is not touched, whosever it is")
    void open_ofARealmThatIsThere() throws Exception {
        realms("d-1").open(A);
        RealmState state = realms("d-1").state(A);

        assertFails(Step.LOOK, Reason.ALREADY_THERE, () -> realms("d-1").open(A));
        assertFails(Step.LOOK, Reason.ALREADY_THERE, () -> realms("d-2").open(A));
        assertThere(A, "d-1");
        assertThat(realms("d-1").state(A)).isEqualTo(state);
        assertThat(policies("d-2")).doesNotExist();
    }

    @Test
    @DisplayName("RT-03 a realm of another owner is not closed, not listed and not reaped")
    void close_ofAnothersRealm() throws Exception {
        realms("d-2").open(A);

        assertFails(Step.CLOSE, Reason.NOT_OURS, () -> realms("d-1").close(A));
        assertThat(realms("d-1").list()).isEmpty();
        assertThat(realms("d-1").reap(session -> false).closed()).isEmpty();
        assertThere(A, "d-2");
    }

    @Test
    @DisplayName("RT-05 a global policy keeps open from succeeding, and nothing is left of the realm")
    void open_underAGlobalPolicy() throws Exception {
        openShell.globalPolicy();

        assertFails(Step.PROVE, Reason.POLICY_DIFFERENT, () -> realms("d-1").open(A));
        assertGone(A, "d-1");
    }

    @Test
    @DisplayName("RT-05 deny-all, the image's user and more to read are proved as well")
    void open_withOtherPolicies() throws Exception {
        RuntimeConfig denyAll = config("d-1").egressAllow(List.of()).build();
        SandboxProfile profile = SandboxProfile.standard().withUser(WorkloadUser.imageUser()).withReadable("/models");
        for (Realms realms : List.of(Realms.of(openShell.runner(), denyAll, policies("d-1")),
                Realms.of(openShell.runner(), denyAll, policies("d-1"), profile),
                Realms.of(openShell.runner(), config("d-1").build(), policies("d-1"), profile))) {
            assertThat(realms.open(A).policy(realms.policy())).isEqualTo(PolicyInForce.SAME);
            realms.close(A);
        }
    }

    @Test
    @DisplayName("a realm that is provisioning is waited for")
    void open_waits() throws Exception {
        openShell.provisioning(3);

        assertThat(realms("d-1").open(A).phase()).isEqualTo(SandboxPhase.READY);
        assertThere(A, "d-1");
    }

    @Test
    @DisplayName("exit 0 of create is not believed: a realm in a phase that leads nowhere is deleted")
    void open_ofARealmThatIsNotReady() throws Exception {
        for (String phase : List.of("Error", "Stopped", "Unknown")) {
            openShell.phase(phase);
            assertThatThrownBy(() -> realms("d-1").open(A)).isInstanceOfSatisfying(RealmException.class, e -> {
                assertThat(e.step()).isEqualTo(Step.WAIT);
                assertThat(e.reason()).isEqualTo(Reason.NOT_READY);
                assertThat(e.phase().orElseThrow().toString()).isEqualToIgnoringCase(phase);
                assertThat(e.leftBehind()).isFalse();
            });
            assertGone(A, "d-1");
        }
    }

    @Test
    @DisplayName("a create that fails and leaves its realm behind is cleared up, and tells how it ended")
    void open_whereCreateFails() throws Exception {
        openShell.createFails();

        assertThatThrownBy(() -> realms("d-1").open(A)).isInstanceOfSatisfying(RealmException.class, e -> {
            assertThat(e.step()).isEqualTo(Step.CREATE);
            assertThat(e.reason()).isEqualTo(Reason.CREATE_FAILED);
            assertThat(e.created().orElseThrow().exitCode()).isEqualTo(1);
            assertThat(e.created().orElseThrow().stderr().text()).contains("Error:   \u00d7 ");
            assertThat(e.leftBehind()).isFalse();
        });
        assertGone(A, "d-1");
    }

    @Test
    @DisplayName("close may be called again, and for a session that was never opened; then the name is free")
    void close_isIdempotent() throws Exception {
        Realms realms = realms("d-1");
        realms.close(A);
        realms.open(A);
        realms.close(A);
        realms.close(A);
        assertGone(A, "d-1");
        realms("d-2").open(A);
        assertThere(A, "d-2");
    }

    @Test
    @DisplayName("an interrupted thread closes all the same, and gets its InterruptedException")
    void close_ofAnInterruptedThread() throws Exception {
        realms("d-1").open(A);
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> realms("d-1").close(A)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        assertGone(A, "d-1");
    }

    @Test
    @DisplayName("RT-03 reap closes what is not to be kept, removes policies without a realm, and leaves other owners alone")
    void reap_clears() throws Exception {
        Realms realms = realms("d-1");
        for (SessionId session : List.of(A, B, C)) {
            realms.open(session);
        }
        realms("d-2").open(SessionId.of("x"));
        Path stray = PolicyDocuments.write(policies("d-1"), SessionId.of("never-made"), realms.policy()).path();

        assertThat(realms("d-3").reap(session -> false))
                .hasToString("ReapReport[kept=0, closed=0, failed=0, policiesRemoved=0, complete=true]");
        ReapReport report = realms.reap(B::equals);
        assertThat(report.kept()).containsExactly(B);
        assertThat(report.closed()).containsExactlyInAnyOrder(A, C);
        assertThat(report.failed()).isEmpty();
        assertThat(report.policiesRemoved()).containsExactly(stray);
        assertThat(report.complete()).isTrue();
        assertThere(B, "d-1");
        assertGone(A, "d-1");
        assertGone(C, "d-1");
        assertThere(SessionId.of("x"), "d-2");
        assertThat(realms.reap(session -> false).closed()).containsExactly(B);
        assertThat(policies("d-1")).isEmptyDirectory();
    }

    @Test
    @DisplayName("a command in a realm that is absent, or not ready, is exit 1 and says why")
    void exec_withoutARealm() throws Exception {
        OpenShellRunOutcome absent = realms("d-1").exec(A, AnyOpenShell.COMMAND);
        assertThat(absent.exitCode()).isEqualTo(1);
        assertThat(absent.stdout().text()).isEmpty();
        assertThat(absent.stderr().text()).contains("sandbox not found");

        openShell.provisioning(1);
        WrittenPolicy policy = PolicyDocuments.write(policies("d-1"), A, realms("d-1").policy());
        openShell.runner().run(OpenShellArgv.create(policy, config("d-1").build()),
                OpenShellRunOptions.capturing(Duration.ofSeconds(20)));
        OpenShellRunOutcome early = realms("d-1").exec(A, AnyOpenShell.COMMAND);
        assertThat(early.exitCode()).isEqualTo(1);
        assertThat(early.stderr().text()).contains("is not ready (phase: Provisioning)");
        assertThat(realms("d-1").state(A).phase()).isEqualTo(SandboxPhase.PROVISIONING);
        assertThat(realms("d-1").exec(A, AnyOpenShell.COMMAND).exitCode()).isEqualTo(7);
    }
}
