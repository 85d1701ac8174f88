// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Part 6: the runner over the real CLI. */
@DisplayName("Contract 6: runs")
class ContractRunnerTest extends ContractSuite {

    private static final SessionId SESSION = SessionId.of("a");

    @BeforeEach
    void create() throws Exception {
        assertThat(openShell.create(SESSION, RuntimeConfig.builder(List.of("/usr/bin/agent")).build()).exitCode()).isZero();
    }

    private OpenShellRunOutcome exec(String... command) throws InterruptedException {
        return openShell.run(RealOpenShell.oldExec(SESSION, command));
    }

    @Test
    @DisplayName("R35 exit codes 0, 7, 127 and 137 come through")
    void exitCodes_comeThrough() throws Exception {
        assertThat(exec("/bin/true").exitCode()).isZero();
        assertThat(exec("/bin/sh", "-c", "exit 7").exitCode()).isEqualTo(7);
        assertThat(exec("/nonexistent/program").exitCode()).isEqualTo(127);
        assertThat(exec("/bin/sh", "-c", "kill -9 $$").exitCode()).isEqualTo(137);
    }

    @Test
    @DisplayName("R28 stdout and stderr are kept apart, and arguments arrive byte for byte")
    void streams_areApart() throws Exception {
        OpenShellRunOutcome outcome = exec("/bin/sh", "-c", "printf '<%s>' \"$@\"; echo err >&2", "sh", "a b", "", "$HOME", "'", "\n", "*", "\u00e9");

        assertThat(outcome.stdout().text()).isEqualTo("<a b><><$HOME><'><\n><*><\u00e9>");
        assertThat(outcome.stderr().text()).isEqualTo("err\n");
    }

    @Test
    @DisplayName("R29 a megabyte of output gives 262,144 bytes and the flag")
    void output_isBounded() throws Exception {
        OpenShellRunOutcome outcome = exec("/bin/sh", "-c", "head -c 1048576 /dev/zero | tr '\\0' x");

        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.stdout().bytes()).hasSize(262_144).containsOnly('x');
        assertThat(outcome.stdout().totalBytes()).isEqualTo(1_048_576);
        assertThat(outcome.truncated()).isTrue();
    }

    @Test
    @DisplayName("R20 a dispatcher whose own standard input is an open pipe does not wait")
    void openStandardInput_isNotWaitedFor() throws Exception {
        List<String> command = ChildJvm.command(List.of(), Exec.class, RealOpenShell.executable().toString());
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(openShell.host());
        Process dispatcher = builder.start();
        try {
            assertThat(dispatcher.inputReader().readLine()).isEqualTo("0 hi");
            assertThat(dispatcher.waitFor(10, TimeUnit.SECONDS)).isTrue();
        } finally {
            dispatcher.destroyForcibly();
        }
    }

    /** Runs one command in the realm. */
    static final class Exec {

        private Exec() {
        }

        public static void main(String[] args) throws Exception {
            OpenShellRunOutcome outcome = OpenShellRunner.of(
                    OpenShellCli.unverified(Path.of(args[0]), OpenShellEnvironment.select(System.getenv())))
                    .run(RealOpenShell.oldExec(SESSION, "/bin/echo", "hi"), OpenShellRunOptions.capturing(Duration.ofSeconds(20)));
            System.out.println(outcome.exitCode() + " " + outcome.stdout().text().strip());
        }
    }

    @Test
    @DisplayName("R06, R08 a deadline ends the CLI in time and leaves no process of it")
    void deadline_endsTheCli() throws Exception {
        assertThatThrownBy(() -> openShell.runner().run(RealOpenShell.oldExec(SESSION, "/bin/sh", "-c", "echo started; sleep 8"),
                OpenShellRunOptions.capturing(Duration.ofSeconds(2))))
                .isInstanceOfSatisfying(OpenShellRunnerError.class, e -> {
                    assertThat(e.kind()).isEqualTo(OpenShellRunnerError.Kind.TIMED_OUT);
                    assertThat(e.elapsed()).isLessThan(Duration.ofSeconds(3));
                });
        String executable = RealOpenShell.executable().toString();
        assertThat(ProcessHandle.allProcesses().filter(process -> process.info().command().orElse("").equals(executable))).isEmpty();
        assertThat(Processes.children()).isEqualTo(1);
    }

    @Test
    @DisplayName("32 runs at once")
    void manyAtOnce() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(32);
        try {
            List<Future<OpenShellRunOutcome>> runs = new ArrayList<>();
            for (int i = 0; i < 32; i++) {
                String number = Integer.toString(i);
                runs.add(pool.submit(() -> exec("/bin/sh", "-c", "echo " + number + "; exit " + number)));
            }
            for (int i = 0; i < 32; i++) {
                OpenShellRunOutcome outcome = runs.get(i).get();
                assertThat(outcome.exitCode()).isEqualTo(i);
                assertThat(outcome.stdout().text()).isEqualTo(i + "\n");
            }
        } finally {
            pool.shutdownNow();
        }
    }
}
