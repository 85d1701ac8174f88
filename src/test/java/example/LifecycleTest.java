// SPDX-License-Identifier: Apache-2.0
package example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.openshellruntime.OpenShellCli;
import io.github.openshellruntime.OpenShellEnvironment;
import io.github.openshellruntime.OpenShellRunner;
import io.github.openshellruntime.PolicyDocuments;
import io.github.openshellruntime.RuntimeConfig;
import io.github.openshellruntime.SessionId;
import io.github.openshellruntime.WrittenPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's second example and the reaper, against the stand-in. */
@DisplayName("Lifecycle of realms")
class LifecycleTest {

    @TempDir
    private Path home;
    private StandIn standIn;

    @BeforeEach
    void install() throws Exception {
        standIn = StandIn.install(home);
    }

    private static RuntimeConfig config(String owner) {
        return RuntimeConfig.builder(List.of("/usr/bin/sleep", "infinity")).owner(owner).createTimeout(Duration.ofSeconds(2))
                .execTimeout(Duration.ofSeconds(10)).build();
    }

    private OpenShellRunner runner() throws Exception {
        return OpenShellRunner.of(OpenShellCli.verify(config("d-1"), standIn.host()));
    }

    private boolean open(String id, String owner) throws Exception {
        RuntimeConfig config = config(owner);
        WrittenPolicy policy = PolicyDocuments.write(home.resolve("policies"), SessionId.of(id),
                PolicyDocuments.render(config.egressAllow(), "/usr/bin/sleep"));
        return ReadmeExample.open(runner(), policy, config);
    }

    private List<String> verbs() throws Exception {
        return standIn.calls().stream().map(call -> call.argv().get(Math.min(2, call.argv().size() - 1))).toList();
    }

    @Test
    @DisplayName("a realm that gets ready is kept")
    void ready_isKept() throws Exception {
        assertThat(open("a", "d-1")).isTrue();
        assertThat(standIn.sandboxes()).containsExactly("realm-a");
        assertThat(verbs()).containsExactly("--version", "create", "get");
    }

    @Test
    @DisplayName("a create that fails and leaves its sandbox behind is deleted")
    void failedCreate_isDeleted() throws Exception {
        standIn.set("create-exit", "1");
        assertThat(open("a", "d-1")).isFalse();
        assertThat(standIn.sandboxes()).isEmpty();
        assertThat(verbs()).containsExactly("--version", "create", "delete", "get");
    }

    @Test
    @DisplayName("exit 0 of create is not believed: a realm in Error, Completed or an unknown phase is deleted")
    void notReady_isDeleted() throws Exception {
        for (String phase : List.of("Error", "Completed", "Provisioning", "Hibernating")) {
            standIn.set("phase", phase);
            assertThat(open("a", "d-1")).isFalse();
            assertThat(standIn.sandboxes()).isEmpty();
        }
    }

    @Test
    @DisplayName("R08 a create that is cut short by its deadline leaves a sandbox behind, which is deleted")
    void timedOutCreate_isDeleted() throws Exception {
        standIn.set("after-create", "30");
        assertThat(open("a", "d-1")).isFalse();
        assertThat(standIn.sandboxes()).isEmpty();
    }

    @Test
    @DisplayName("a delete that is only accepted is waited for")
    void asynchronousDelete_isWaitedFor() throws Exception {
        assertThat(open("a", "d-1")).isTrue();
        standIn.set("gets-until-deleted", "2");
        ReadmeExample.close(runner(), SessionId.of("a"), config("d-1"));
        assertThat(standIn.sandboxes()).isEmpty();
    }

    @Test
    @DisplayName("a realm that does not go away in time is an error, not an endless loop")
    void stuckDelete_isAnError() throws Exception {
        assertThat(open("a", "d-1")).isTrue();
        standIn.set("gets-until-deleted", "1000000");
        assertThatThrownBy(() -> ReadmeExample.close(runner(), SessionId.of("a"), config("d-1")))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("realm-a is still there");
    }

    @Test
    @DisplayName("RT-03 the reaper reads three pages and leaves another owner's realms, and those alive, alone")
    void reaper_reapsItsOwn() throws Exception {
        for (String id : List.of("a", "b", "c", "d", "e")) {
            assertThat(open(id, "d-1")).isTrue();
        }
        for (String id : List.of("x", "y")) {
            assertThat(open(id, "d-2")).isTrue();
        }
        standIn.set("page-size", "2");

        assertThat(Reaper.realms(runner(), config("d-1"))).hasSize(5);
        assertThat(Reaper.reap(runner(), config("d-1"), Set.of(SessionId.of("b")))).containsExactly(SessionId.of("a"),
                SessionId.of("c"), SessionId.of("d"), SessionId.of("e"));

        assertThat(standIn.sandboxes()).containsExactly("realm-b", "realm-x", "realm-y");
        assertThat(Reaper.reap(runner(), config("d-3"), Set.of())).isEmpty();
    }

    @Test
    @DisplayName("a page token that comes back twice ends in an error")
    void reaper_seesALoop() throws Exception {
        Path looping = home.resolve("looping");
        Files.writeString(looping, "#!/bin/sh\necho realm-a\necho 'Next page token: again' >&2\n");
        Files.setPosixFilePermissions(looping, PosixFilePermissions.fromString("rwx------"));
        OpenShellRunner runner =
                OpenShellRunner.of(OpenShellCli.unverified(looping, OpenShellEnvironment.select(standIn.host())));

        assertThatThrownBy(() -> Reaper.realms(runner, config("d-1"))).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("same page again");
    }
}
