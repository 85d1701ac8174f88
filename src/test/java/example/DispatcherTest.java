// SPDX-License-Identifier: Apache-2.0
package example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.openshellruntime.CapturedOutput;
import io.github.openshellruntime.OpenShellArgv;
import io.github.openshellruntime.OpenShellArgv.Verb;
import io.github.openshellruntime.OpenShellRunOutcome;
import io.github.openshellruntime.OpenShellRunnerError;
import io.github.openshellruntime.RealmException;
import io.github.openshellruntime.Realms;
import io.github.openshellruntime.RuntimeConfig;
import io.github.openshellruntime.SessionId;
import io.github.openshellruntime.testing.InMemoryOpenShell;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tests of a dispatcher, without an OpenShell. The first one is in the README. */
@DisplayName("A dispatcher's own tests")
class DispatcherTest {

    @TempDir
    private Path directory;
    private final RuntimeConfig config =
            RuntimeConfig.builder(List.of("/usr/bin/sleep", "infinity")).owner("dispatcher-1").build();

    @Test
    @DisplayName("a job that fails gives its exit code, and its realm is closed")
    void failedJob_givesItsCode() throws Exception {
        // README test
        InMemoryOpenShell openShell = new InMemoryOpenShell().onExec(argv ->
                OpenShellRunOutcome.discarded(argv.command().contains("make") ? 2 : 0, Duration.ZERO));
        Realms realms = Realms.of(openShell, config, directory);

        assertThat(new Dispatcher(realms).run("job-1", List.of("make", "test"))).isEqualTo(2);
        assertThat(openShell.calls()).contains(OpenShellArgv.exec(SessionId.derive("job-1"), List.of("make", "test")));
        assertThat(realms.list()).isEmpty();
        // README end
    }

    @Test
    @DisplayName("a job that cannot be run in time is an error, and its realm is closed")
    void lateJob_isClosed() throws Exception {
        OpenShellRunnerError late = OpenShellRunnerError.timedOut(Duration.ofMinutes(2), CapturedOutput.ofText("half"),
                CapturedOutput.ofText(""));
        InMemoryOpenShell openShell = new InMemoryOpenShell().onExec(argv -> {
            if (argv.command().contains("make")) {
                throw late;
            }
            return OpenShellRunOutcome.discarded(0, Duration.ZERO);
        });
        Realms realms = Realms.of(openShell, config, directory);

        assertThatThrownBy(() -> new Dispatcher(realms).run("job-1", List.of("make", "test"))).isSameAs(late);
        assertThat(realms.list()).isEmpty();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    @DisplayName("a job whose realm is not created does not run")
    void realmThatIsNotCreated_runsNothing() throws Exception {
        InMemoryOpenShell openShell = new InMemoryOpenShell()
                .fail(Verb.CREATE, OpenShellRunnerError.failed(OpenShellRunnerError.Reason.LAUNCH_FAILED));
        Realms realms = Realms.of(openShell, config, directory);

        assertThatThrownBy(() -> new Dispatcher(realms).run("job-1", List.of("make", "test")))
                .isInstanceOfSatisfying(RealmException.class,
                        e -> assertThat(e.reason()).isEqualTo(RealmException.Reason.CREATE_FAILED));
        assertThat(openShell.calls()).extracting(OpenShellArgv::verb).doesNotContain(Verb.EXEC);
        assertThat(realms.list()).isEmpty();
    }
}
