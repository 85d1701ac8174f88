// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.openshellruntime.MisbehavingGateway.Call;
import io.github.openshellruntime.OpenShellArgv.Verb;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Making realms, and the calls of theirs that have no life: over a gateway in memory. */
@DisplayName("Realms")
class RealmsTest extends RealmsScript {

    @Test
    @DisplayName("of refuses a relative directory and one of another file system, and takes no null")
    void of_refuses() throws Exception {
        OpenShellRunner runner = gateway.runner(CONFIG);
        assertThatThrownBy(() -> Realms.of(runner, CONFIG, Path.of("policies"))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("absolute");
        try (FileSystem zip = FileSystems.newFileSystem(home.resolve("x.zip"), Map.of("create", "true"))) {
            assertThatThrownBy(() -> Realms.of(runner, CONFIG, zip.getPath("/policies")))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> Realms.of(null, CONFIG, directory)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> Realms.of(runner, null, directory)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> Realms.of(runner, CONFIG, null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> Realms.of(runner, CONFIG, directory, null)).isInstanceOf(NullPointerException.class);
        Realms realms = realms();
        assertThatThrownBy(() -> realms.open(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> realms.close(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> realms.state(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> realms.exec(null, List.of("x"))).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> realms.exec(A, null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> realms.exec(A, List.of("x"), null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> realms.reap(null)).isInstanceOf(NullPointerException.class);
        assertThat(calls).isEmpty();
    }

    @Test
    @DisplayName("of starts nothing and writes nothing; the policy is rendered once, for the profile")
    void of_startsNothing() throws Exception {
        SandboxProfile profile = SandboxProfile.standard().withUser(WorkloadUser.of(7, 8));
        Realms realms = Realms.of(gateway.runner(CONFIG), CONFIG, directory, profile);
        assertThat(realms.policy()).isEqualTo(PolicyDocuments.render(CONFIG.egressAllow(), "/usr/bin/agent", profile))
                .isSameAs(realms.policy());
        assertThat(Realms.of(gateway.runner(CONFIG), CONFIG, directory).policy())
                .isEqualTo(PolicyDocuments.render(CONFIG.egressAllow(), "/usr/bin/agent"));
        assertThat(gateway.calls()).isEmpty();
        assertThat(directory).doesNotExist();
        assertThat(realms).hasToString("Realms[owner=d-1, policyDirectory=" + directory + "]");
    }

    @Test
    @DisplayName("exec returns the outcome of the command, capturing under the exec timeout, or under the given options")
    void exec_runs() throws Exception {
        instead(Verb.EXEC, exit(3, "words\n"), exit(4, ""));
        OpenShellRunOutcome outcome = realms().exec(A, List.of("/bin/x", "y z"));
        assertThat(outcome.exitCode()).isEqualTo(3);
        assertThat(outcome.stderr().text()).isEqualTo("words\n");
        OpenShellRunOptions options = OpenShellRunOptions.discarding(Duration.ofHours(2));
        assertThat(realms().exec(A, List.of("/bin/x"), options).exitCode()).isEqualTo(4);
        assertThat(calls).containsExactly(
                new Call(OpenShellArgv.exec(A, List.of("/bin/x", "y z")),
                        OpenShellRunOptions.capturing(Duration.ofSeconds(7))),
                new Call(OpenShellArgv.exec(A, List.of("/bin/x")), options));
    }

    @Test
    @DisplayName("exec, state and list pass on what the runner throws")
    void calls_passOn() {
        OpenShellRunnerError late = timedOut();
        Realms realms = realms();
        instead(Verb.EXEC, throwing(late), interrupted());
        instead(Verb.GET, throwing(late), interrupted(), fails());
        instead(Verb.LIST, throwing(late), interrupted(), fails());
        assertThatThrownBy(() -> realms.exec(A, List.of("x"))).isSameAs(late);
        assertThatThrownBy(() -> realms.state(A)).isSameAs(late);
        assertThatThrownBy(realms::list).isSameAs(late);
        assertThatThrownBy(() -> realms.exec(A, List.of("x"))).isInstanceOf(InterruptedException.class);
        assertThatThrownBy(() -> realms.state(A)).isInstanceOf(InterruptedException.class);
        assertThatThrownBy(realms::list).isInstanceOf(InterruptedException.class);
        assertThatThrownBy(() -> realms.state(A)).isInstanceOf(OpenShellRunnerError.class);
        assertThatThrownBy(realms::list).isInstanceOf(OpenShellRunnerError.class);
        assertThatThrownBy(() -> realms.exec(A, List.of())).isInstanceOf(RefusedException.class);
    }

    @Test
    @DisplayName("state tells what get tells, ABSENT included")
    void state_tells() throws Exception {
        gateway.put("realm-a", "Stopped", THEIRS);
        assertThat(realms().state(A).phase()).isEqualTo(SandboxPhase.STOPPED);
        assertThat(realms().state(A).labels()).isEqualTo(THEIRS);
        assertThat(realms().state(B).phase()).isEqualTo(SandboxPhase.ABSENT);
        assertThat(calls).allMatch(call -> call.options().equals(OpenShellRunOptions.capturing(Duration.ofSeconds(30))));
    }

    @Test
    @DisplayName("RT-03 list reads all pages, knows its own, and is unmodifiable")
    void list_readsAllPages() throws Exception {
        for (String name : List.of("realm-a", "realm-b", "realm-c", "realm-d", "realm-e", "not-a-realm")) {
            gateway.put(name, "Ready", OURS);
        }
        gateway.put("realm-x", "Ready", THEIRS).pageSize(2);
        Set<SessionId> listed = realms().list();
        assertThat(listed).extracting(SessionId::value).containsExactly("a", "b", "c", "d", "e");
        assertThat(calls).hasSize(3).allMatch(call -> call.options()
                .equals(OpenShellRunOptions.capturing(Duration.ofSeconds(30))));
        assertThatThrownBy(listed::clear).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    @DisplayName("a page token that comes twice is UNREADABLE_ANSWER")
    void list_seesALoop() {
        instead(Verb.LIST, page("realm-a\n", "1"), page("realm-b\n", "2"), page("realm-a\n", "1"), page("", ""));
        assertThatThrownBy(realms()::list).isInstanceOfSatisfying(OpenShellRunnerError.class,
                error -> assertThat(error.reason()).isEqualTo(OpenShellRunnerError.Reason.UNREADABLE_ANSWER));
        assertThat(calls).hasSize(3);
        assertThat(calls.get(2).argv().asList()).contains("--page-token=2");
    }

    @Test
    @DisplayName("without a clock of a test it is time that passes")
    void time_passes() throws Exception {
        gateway.looksUntilReady(2);
        Realms realms = Realms.of(gateway.runner(CONFIG), CONFIG, directory);
        long start = System.nanoTime();
        realms.open(A);
        realms.close(A);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
    }
}
