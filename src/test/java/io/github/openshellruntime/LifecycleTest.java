// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import example.StandIn;
import io.github.openshellruntime.RealmException.Reason;
import io.github.openshellruntime.RealmException.Step;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The lives of realms over the stand-in CLI, and what it alone can do: wait, delete later, have small pages. */
@DisplayName("Lifecycle over the stand-in CLI")
class LifecycleTest extends LifecycleSuite {

    private StandIn standIn;

    @Override
    AnyOpenShell openShell() throws Exception {
        standIn = StandIn.install(home);
        return AnyOpenShell.standIn(standIn);
    }

    private Realms hurriedRealms(int seconds) {
        RuntimeConfig hurried = config("d-1").createTimeout(Duration.ofSeconds(seconds)).build();
        return Realms.of(openShell.runner(), hurried, home.resolve("policies-d-1"));
    }

    private List<String> verbs() throws Exception {
        return standIn.calls().stream().map(call -> call.argv().get(Math.min(2, call.argv().size() - 1))).toList();
    }

    @Test
    @DisplayName("RT-03 a life is so many calls: a look, create, a look, true; a look, delete, a look")
    void life_isSevenCalls() throws Exception {
        Realms realms = realms("d-1");
        realms.open(A);
        assertThat(standIn.sandboxes()).containsExactly("realm-a");
        assertThat(verbs()).containsExactly("--version", "get", "create", "get", "exec");
        realms.close(A);
        assertThat(standIn.sandboxes()).isEmpty();
        assertThat(verbs().subList(5, verbs().size())).containsExactly("get", "delete", "get");
    }

    @Test
    @DisplayName("a create that fails and leaves its sandbox behind is deleted after a look")
    void failedCreate_isDeleted() throws Exception {
        standIn.set("create-exit", "1");
        assertFails(Step.CREATE, Reason.CREATE_FAILED, () -> realms("d-1").open(A));
        assertThat(standIn.sandboxes()).isEmpty();
        assertThat(verbs()).containsExactly("--version", "get", "create", "get", "delete", "get");
    }

    @Test
    @DisplayName("exit 0 of create is not believed: a realm in Error, Completed, Provisioning or an unknown phase is deleted")
    void notReady_isDeleted() throws Exception {
        for (String phase : List.of("Error", "Completed", "Provisioning", "Hibernating")) {
            standIn.set("phase", phase);
            // Long enough for a create on a crowded machine; what is provisioning for ever takes all of it.
            assertFails(Step.WAIT, Reason.NOT_READY, () -> hurriedRealms(5).open(A));
            assertThat(standIn.sandboxes()).isEmpty();
            assertGone(A, "d-1");
        }
    }

    @Test
    @DisplayName("R08 a create that is cut short by its deadline leaves a sandbox behind, which is deleted")
    void timedOutCreate_isDeleted() throws Exception {
        standIn.set("after-create", "30");
        assertThatThrownBy(() -> hurriedRealms(2).open(A)).isInstanceOfSatisfying(RealmException.class, e -> {
            assertThat(e.reason()).isEqualTo(Reason.CREATE_FAILED);
            assertThat(e.created()).isEmpty();
            assertThat(e.leftBehind()).isFalse();
        }).hasCauseInstanceOf(OpenShellRunnerError.class);
        assertThat(standIn.sandboxes()).isEmpty();
        assertGone(A, "d-1");
    }

    @Test
    @DisplayName("a delete that is only accepted is waited for")
    void asynchronousDelete_isWaitedFor() throws Exception {
        realms("d-1").open(A);
        standIn.set("gets-until-deleted", "2");
        realms("d-1").close(A);
        assertThat(standIn.sandboxes()).isEmpty();
        assertGone(A, "d-1");
    }

    @Test
    @DisplayName("a realm that does not go away in time is an error, not an endless loop; its policy stays")
    void stuckDelete_isAnError() throws Exception {
        realms("d-1").open(A);
        standIn.set("gets-until-deleted", "1000000");
        assertThatThrownBy(() -> hurriedRealms(2).close(A)).isInstanceOfSatisfying(RealmException.class, e -> {
            assertThat(e.reason()).isEqualTo(Reason.STILL_THERE);
            assertThat(e.phase()).contains(SandboxPhase.DELETING);
            assertThat(e.leftBehind()).isTrue();
        }).hasMessageContaining("realm-a").hasMessageContaining("was not gone, in time");
        assertThere(A, "d-1");
    }

    @Test
    @DisplayName("RT-03 the reaper reads three pages and leaves another owner's realms, and those alive, alone")
    void reaper_reapsItsOwn() throws Exception {
        for (String id : List.of("a", "b", "c", "d", "e")) {
            realms("d-1").open(SessionId.of(id));
        }
        for (String id : List.of("x", "y")) {
            realms("d-2").open(SessionId.of(id));
        }
        standIn.set("page-size", "2");

        assertThat(realms("d-1").list()).hasSize(5);
        assertThat(realms("d-1").reap(B::equals).closed()).containsExactly(A, C, SessionId.of("d"), SessionId.of("e"));

        assertThat(standIn.sandboxes()).containsExactly("realm-b", "realm-x", "realm-y");
        assertThat(realms("d-3").reap(session -> false).closed()).isEmpty();
    }

    @Test
    @DisplayName("a page token that comes back twice ends in an error, and nothing is reaped")
    void reaper_seesALoop() throws Exception {
        Path looping = home.resolve("looping");
        Files.writeString(looping, "#!/bin/sh\necho realm-a\necho 'Next page token: again' >&2\n");
        Files.setPosixFilePermissions(looping, PosixFilePermissions.fromString("rwx------"));
        OpenShellRunner runner =
                OpenShellRunner.of(OpenShellCli.unverified(looping, OpenShellEnvironment.select(standIn.host())));

        Realms realms = Realms.of(runner, config("d-1").build(), home.resolve("policies-d-1"));
        assertThatThrownBy(() -> realms.reap(session -> false))
                .isInstanceOfSatisfying(OpenShellRunnerError.class,
                        e -> assertThat(e.reason()).isEqualTo(OpenShellRunnerError.Reason.UNREADABLE_ANSWER));
    }
}
