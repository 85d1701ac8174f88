// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.openshellruntime.OpenShellRunnerError.Kind;
import io.github.openshellruntime.OpenShellRunnerError.Reason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("OpenShellRunner")
class OpenShellRunnerTest {

    private static final OpenShellRunOptions SHORT = OpenShellRunOptions.capturing(Duration.ofSeconds(10));

    @Test
    @DisplayName("AUD-02 the environment is the CLI's own and nothing of this JVM's")
    void environment_isExact() throws Exception {
        Map<String, String> seen = HostileCli.capture("env").stdout().text().lines()
                .map(line -> line.split("=", 2)).collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
        seen.keySet().removeAll(List.of("PWD", "OLDPWD", "SHLVL", "_"));

        assertThat(seen).isEqualTo(OpenShellEnvironment.select(HostileCli.HOST).asMap());
    }

    @Test
    @DisplayName("R36 the working directory is /")
    void workingDirectory_isTheRoot() throws Exception {
        assertThat(HostileCli.capture("cwd").stdout().text()).isEqualTo("/\n");
    }

    @Test
    @DisplayName("R20 standard input is at its end at once")
    void standardInput_isEmpty() throws Exception {
        assertThat(HostileCli.capture("stdin-size").stdout().text().strip()).isEqualTo("0");
    }

    @Test
    @DisplayName("R33, R34 arguments arrive byte for byte")
    void arguments_areUntouched() throws Exception {
        Path echo = HostileCli.executable("#!/bin/sh\nprintf '<%s>' \"$@\"\n");
        OpenShellRunner runner = OpenShellRunner.of(
                OpenShellCli.unverified(echo, OpenShellEnvironment.select(HostileCli.HOST)));
        List<String> command = List.of("a b", "", "'", "\"", "$HOME", "`id`", "$(touch /tmp/x); 'a \"b", "\n", "*", "--",
                "--name", "other", "é日", "\\", "-rf");
        OpenShellArgv argv = OpenShellArgv.exec(SessionId.of("a"), command);

        String printed = runner.run(argv, SHORT).stdout().text();

        assertThat(printed).isEqualTo(argv.asList().stream().skip(1).map(a -> "<" + a + ">").collect(Collectors.joining()));
        assertThat(printed).endsWith(command.stream().map(a -> "<" + a + ">").collect(Collectors.joining()));
    }

    @ParameterizedTest(name = "R35 exit {0} is an outcome")
    @ValueSource(ints = {0, 1, 2, 7, 124, 126, 127, 137, 255})
    void exitCode_isAnOutcome(int code) throws Exception {
        assertThat(HostileCli.capture("exit", Integer.toString(code)).exitCode()).isEqualTo(code);
    }

    @Test
    @DisplayName("R35 a signal is the exit code 128 + n")
    void signal_isAnExitCode() throws Exception {
        assertThat(HostileCli.capture("signal", "KILL").exitCode()).isEqualTo(137);
        assertThat(HostileCli.capture("signal", "TERM").exitCode()).isEqualTo(143);
    }

    @Test
    @DisplayName("R28 each stream has its own bound and its own flag")
    void bound_isPerStream() throws Exception {
        OpenShellRunOutcome outcome = HostileCli.capture("err", "x", "1048576", "4096", "out", "y", "10", "10");

        assertThat(outcome.stdout().text()).isEqualTo("y".repeat(10));
        assertThat(outcome.stdout().truncated()).isFalse();
        assertThat(outcome.stderr().bytes()).hasSize(262_144).containsOnly('x');
        assertThat(outcome.stderr().totalBytes()).isEqualTo(1_048_576);
        assertThat(outcome.stderr().truncated()).isTrue();
        assertThat(outcome.truncated()).isTrue();
    }

    @ParameterizedTest(name = "the bound is exact: {0} bytes")
    @ValueSource(ints = {0, 1, 8191, 8192, 8193, 65_536, 262_143, 262_144, 262_145})
    void bound_isExact(int size) throws Exception {
        OpenShellRunOutcome outcome = HostileCli.capture("out", "z", Integer.toString(size), "4096");

        assertThat(outcome.stdout().bytes()).hasSize(Math.min(size, 262_144));
        assertThat(outcome.stdout().totalBytes()).isEqualTo(size);
        assertThat(outcome.truncated()).isEqualTo(size > 262_144);
    }

    @Test
    @DisplayName("R29 a flood is drained to its end and the process does not die of it")
    void flood_isDrained(@TempDir Path dir) throws Exception {
        Path done = dir.resolve("done");

        OpenShellRunOutcome outcome =
                HostileCli.capture("both", "f", "8388608", "65536", "touch", done.toString(), "exit", "3");

        assertThat(outcome.exitCode()).isEqualTo(3);
        assertThat(outcome.stdout().totalBytes()).isEqualTo(8_388_608);
        assertThat(outcome.stderr().totalBytes()).isEqualTo(8_388_608);
        assertThat(done).exists();
    }

    @RepeatedTest(value = 20, name = "all that was written just before the exit is there ({currentRepetition})")
    void lastBytes_areThere() throws Exception {
        OpenShellRunOutcome outcome = HostileCli.capture("both", "e", "60000", "60000");

        assertThat(outcome.stdout().totalBytes()).isEqualTo(60_000);
        assertThat(outcome.stderr().totalBytes()).isEqualTo(60_000);
    }

    @Test
    @DisplayName("a character that the bound cuts is left out of the text")
    void text_leavesACutCharacterOut() throws Exception {
        OpenShellRunOutcome outcome = HostileCli.capture("out", "a", "262142", "4096", "raw", "\\0342\\0202\\0254");

        assertThat(outcome.stdout().truncated()).isTrue();
        assertThat(outcome.stdout().text()).isEqualTo("a".repeat(262_142));
    }

    @Test
    @DisplayName("discarding keeps nothing and is not truncated")
    void discarding_keepsNothing() throws Exception {
        OpenShellRunOutcome outcome = HostileCli.RUNNER.run(HostileCli.argv("both", "x", "1000000", "4096", "exit", "5"),
                OpenShellRunOptions.discarding(Duration.ofSeconds(10)));

        assertThat(outcome.exitCode()).isEqualTo(5);
        assertThat(outcome.stdout()).isEqualTo(CapturedOutput.EMPTY);
        assertThat(outcome.stderr()).isEqualTo(CapturedOutput.EMPTY);
        assertThat(outcome.truncated()).isFalse();
        // Nothing was looked at, so nothing can be read from it: SandboxPhase and RealmPage ask.
        assertThat(outcome.captured()).isFalse();
    }

    @Test
    @DisplayName("R06 the deadline ends a run with what was captured")
    void deadline_endsTheRun() throws Exception {
        OpenShellRunnerError error = HostileCli.timeOut(300, "raw", "before", "raw-err", "warn", "sleep", "30");

        assertThat(error.kind()).isEqualTo(Kind.TIMED_OUT);
        assertThat(error.reason()).isEqualTo(Reason.DEADLINE);
        assertThat(error.stdout().text()).isEqualTo("before");
        assertThat(error.stderr().text()).isEqualTo("warn");
        assertThat(error.elapsed()).isBetween(Duration.ofMillis(300), Duration.ofMillis(1300));
    }

    @Test
    @DisplayName("no run leaves a descriptor behind: not after an exit, not after a deadline")
    void run_leavesNoDescriptor() throws Exception {
        HostileCli.timeOut(50, "sleep", "30");
        long before = Processes.descriptors();

        for (int i = 0; i < 10; i++) {
            HostileCli.capture("raw", "x", "exit", "0");
        }
        HostileCli.timeOut(50, "sleep", "30");

        // The JDK closes some of its own a moment after the end of a process.
        Await.until("the descriptors of before", () -> Processes.descriptors() <= before);
    }

    @Test
    @DisplayName("R36 nothing at the path, a dangling link: EXECUTABLE_NOT_FOUND")
    void executable_notFound(@TempDir Path dir) throws Exception {
        Path dangling = Files.createSymbolicLink(dir.resolve("link"), dir.resolve("nothing"));

        assertThat(startError(dir.resolve("none"))).isEqualTo(Reason.EXECUTABLE_NOT_FOUND);
        assertThat(startError(dangling)).isEqualTo(Reason.EXECUTABLE_NOT_FOUND);
    }

    @Test
    @DisplayName("R36 a path below a regular file: EXECUTABLE_NOT_FOUND, on every JDK; the system's number is told")
    void executable_belowAFile(@TempDir Path dir) throws Exception {
        Path file = Files.writeString(dir.resolve("file"), "");

        OpenShellRunnerError error = notStarted(file.resolve("openshell"));

        assertThat(error.reason()).isEqualTo(Reason.EXECUTABLE_NOT_FOUND);
        assertThat(error.errno()).hasValue(20);
        assertThat(error).hasMessageContaining("error 20");
    }

    @Test
    @DisplayName("R36 the system's number is not read from a path")
    void errno_isNotReadFromThePath(@TempDir Path dir) throws Exception {
        OpenShellRunnerError error = notStarted(Files.createDirectory(dir.resolve("error=7, x")).resolve("openshell error=7"));

        assertThat(error.reason()).isEqualTo(Reason.EXECUTABLE_NOT_FOUND);
        assertThat(error.errno()).hasValue(2);
    }

    @Test
    @DisplayName("R36 a directory, a file without the permission: EXECUTABLE_NOT_EXECUTABLE")
    void executable_notExecutable(@TempDir Path dir) throws Exception {
        Path plain = Files.writeString(dir.resolve("plain"), "#!/bin/sh\n");
        Files.setPosixFilePermissions(plain, PosixFilePermissions.fromString("rw-------"));

        assertThat(startError(plain)).isEqualTo(Reason.EXECUTABLE_NOT_EXECUTABLE);
        assertThat(startError(dir)).isEqualTo(Reason.EXECUTABLE_NOT_EXECUTABLE);
    }

    @Test
    @DisplayName("R38 a missing interpreter: LAUNCH_FAILED")
    void launch_failed() throws Exception {
        assertThat(startError(HostileCli.executable("#!/nonexistent/interpreter\n"))).isEqualTo(Reason.LAUNCH_FAILED);
    }

    @Test
    @DisplayName("a NUL in an environment value: LAUNCH_FAILED, and the value is not shown")
    void environmentValue_withNul() throws Exception {
        OpenShellEnvironment environment = OpenShellEnvironment.select(Map.of("HOME", "/se\0cret"));
        OpenShellRunner runner = OpenShellRunner.of(OpenShellCli.unverified(HostileCli.EXECUTABLE, environment));

        assertThatThrownBy(() -> runner.run(OpenShellArgv.version(), SHORT))
                .isInstanceOfSatisfying(OpenShellRunnerError.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.LAUNCH_FAILED))
                .hasMessageNotContaining("cret").hasNoCause();
    }

    @Test
    @DisplayName("more than the kernel takes: ARGUMENTS_TOO_LARGE")
    void arguments_tooLarge() throws Exception {
        OpenShellEnvironment environment = OpenShellEnvironment.select(Map.of("HOME", "/" + "x".repeat(200_000)));
        OpenShellRunner runner = OpenShellRunner.of(OpenShellCli.unverified(HostileCli.EXECUTABLE, environment));

        assertThatThrownBy(() -> runner.run(OpenShellArgv.version(), SHORT))
                .isInstanceOfSatisfying(OpenShellRunnerError.class, e -> {
                    assertThat(e.kind()).isEqualTo(Kind.FAILED);
                    assertThat(e.reason()).isEqualTo(Reason.ARGUMENTS_TOO_LARGE);
                    assertThat(e.errno()).hasValue(7);
                    assertThat(e.elapsed()).isZero();
                });
    }

    private static Reason startError(Path executable) throws InterruptedException {
        return notStarted(executable).reason();
    }

    private static OpenShellRunnerError notStarted(Path executable) throws InterruptedException {
        OpenShellCli cli = OpenShellCli.unverified(executable.toAbsolutePath(),
                OpenShellEnvironment.select(HostileCli.HOST));
        try {
            throw new AssertionError("ran: " + OpenShellRunner.of(cli).run(OpenShellArgv.version(), SHORT));
        } catch (OpenShellRunnerError e) {
            assertThat(e.kind()).isEqualTo(Kind.FAILED);
            assertThat(e.getMessage()).doesNotContain(executable.toString());
            assertThat(e).hasNoCause();
            return e;
        }
    }

    @Test
    @DisplayName("R26 an interrupt before the start starts nothing")
    void interrupt_beforeTheStart(@TempDir Path dir) throws Exception {
        Path mark = dir.resolve("started");
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> HostileCli.capture("touch", mark.toString())).isInstanceOf(InterruptedException.class);

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(mark).doesNotExist();
    }

    @Test
    @DisplayName("a test of a dispatcher makes outcomes and errors without a process, bounded as a run bounds them")
    void outcomes_canBeMade() {
        CapturedOutput flood = CapturedOutput.of(new byte[300_000]);
        CapturedOutput text = CapturedOutput.ofText("h\u00e9");
        OpenShellRunOutcome captured = OpenShellRunOutcome.captured(255, Duration.ofSeconds(1), text, flood);
        OpenShellRunOutcome discarded = OpenShellRunOutcome.discarded(0, Duration.ZERO);
        OpenShellRunnerError timedOut = OpenShellRunnerError.timedOut(Duration.ofSeconds(1), text, flood);
        OpenShellRunnerError failed = OpenShellRunnerError.failed(Reason.CALL_FAILED);

        assertThat(text.text()).isEqualTo("h\u00e9");
        assertThat(text.totalBytes()).isEqualTo(3);
        assertThat(flood.bytes()).hasSize(262_144);
        assertThat(flood.totalBytes()).isEqualTo(300_000);
        assertThat(captured.captured()).isTrue();
        assertThat(captured.truncated()).isTrue();
        assertThat(discarded.captured()).isFalse();
        assertThat(discarded.truncated()).isFalse();
        assertThat(timedOut.kind()).isEqualTo(Kind.TIMED_OUT);
        assertThat(timedOut.stdout()).isEqualTo(text);
        assertThat(failed.kind()).isEqualTo(Kind.FAILED);
        assertThat(failed.elapsed()).isZero();
        assertThat(failed.exitCode()).isEmpty();
        assertThat(failed.errno()).isEmpty();
        for (int code : new int[] {-1, 256}) {
            assertThatThrownBy(() -> OpenShellRunOutcome.discarded(code, Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        }
        Duration negative = Duration.ofNanos(-1);
        assertThatThrownBy(() -> OpenShellRunOutcome.discarded(0, negative)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OpenShellRunnerError.timedOut(negative, text, text)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OpenShellRunnerError.failed(Reason.DEADLINE)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("R19, R40 a deadline is positive and at most 24 hours")
    void deadline_isChecked() {
        for (Duration bad : List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofHours(24).plusNanos(1),
                Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> OpenShellRunOptions.capturing(bad)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> OpenShellRunOptions.discarding(bad)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(OpenShellRunOptions.capturing(Duration.ofHours(24)).captureOutput()).isTrue();
        assertThat(OpenShellRunOptions.discarding(Duration.ofNanos(1)).deadline()).isEqualTo(Duration.ofNanos(1));
    }
}
