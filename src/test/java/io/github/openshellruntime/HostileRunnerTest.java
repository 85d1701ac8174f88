// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.openshellruntime.OpenShellRunnerError.Kind;
import io.github.openshellruntime.OpenShellRunnerError.Reason;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The stand-in at its worst. Pipe races are repeated: the JDK is not repeatable there. */
@DisplayName("OpenShellRunner against a hostile CLI")
@Timeout(60)
class HostileRunnerTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** A run that must be ended by its deadline, within a second of it. */
    private static OpenShellRunnerError timeOut(String... operations) throws InterruptedException {
        OpenShellRunnerError error = HostileCli.timeOut(300, operations);
        assertThat(error.kind()).isEqualTo(Kind.TIMED_OUT);
        assertThat(error.reason()).isEqualTo(Reason.DEADLINE);
        assertThat(error.elapsed()).isBetween(Duration.ofMillis(300), Duration.ofMillis(300).plus(SECOND));
        return error;
    }

    private static void assertGone(String mark) throws Exception {
        Await.until("the end of " + mark, () -> !Processes.runs(mark));
    }

    @RepeatedTest(value = 20, name = "R22 a child that holds the pipes does not hold the caller, and is not killed ({currentRepetition})")
    void childHoldsThePipes() throws Exception {
        String mark = Processes.mark(5);
        OpenShellRunOutcome outcome = HostileCli.capture("child", mark, "raw", "hi", "exit", "0");

        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.stdout().text()).isEqualTo("hi");
        assertThat(outcome.truncated()).isFalse();
        assertThat(outcome.elapsed()).isLessThan(Duration.ofSeconds(3));
        // It may be between its fork and its exec, when it has no arguments.
        Await.until("the child that lives on", () -> Processes.runs(mark));
    }

    @RepeatedTest(value = 20, name = "R22 a daemon that holds the pipes does not hold the caller ({currentRepetition})")
    void daemonHoldsThePipes() throws Exception {
        OpenShellRunOutcome outcome = HostileCli.capture("daemon", Processes.mark(5), "raw", "hi", "raw-err", "warn", "exit", "7");

        assertThat(outcome.exitCode()).isEqualTo(7);
        assertThat(outcome.stdout().text()).isEqualTo("hi");
        assertThat(outcome.stderr().text()).isEqualTo("warn");
        assertThat(outcome.elapsed()).isLessThan(Duration.ofSeconds(3));
    }

    @RepeatedTest(value = 20, name = "R22 200 KiB written just before the exit arrive whole ({currentRepetition})")
    void lastWritesArrive() throws Exception {
        OpenShellRunOutcome outcome = HostileCli.capture("out", "a", "204800", "65536", "exit", "0");

        assertThat(outcome.stdout().bytes()).hasSize(204_800).containsOnly('a');
    }

    @RepeatedTest(value = 5, name = "R22 a daemon that writes on does not hold the caller ({currentRepetition})")
    void chattyDaemon() throws Exception {
        OpenShellRunOutcome outcome = HostileCli.capture("raw", "own", "chatty-daemon", "2", "exit", "3");

        assertThat(outcome.exitCode()).isEqualTo(3);
        assertThat(outcome.stdout().text()).startsWith("own");
        assertThat(outcome.elapsed()).isLessThan(Duration.ofMillis(1900));
    }

    @Test
    @DisplayName("R20 a megabyte on one stream and then on the other, and the exit code")
    void bothStreamsInTurn() throws Exception {
        OpenShellRunOutcome outcome =
                HostileCli.capture("err", "e", "1048576", "4096", "out", "o", "1048576", "4096", "exit", "3");

        assertThat(outcome.exitCode()).isEqualTo(3);
        assertThat(outcome.stdout().bytes()).hasSize(262_144).containsOnly('o');
        assertThat(outcome.stderr().bytes()).hasSize(262_144).containsOnly('e');
        assertThat(outcome.stdout().totalBytes()).isEqualTo(1_048_576);
        assertThat(outcome.stderr().totalBytes()).isEqualTo(1_048_576);
    }

    @ParameterizedTest(name = "a process that closes {0} and lives on is waited for")
    @ValueSource(strings = {"close-out", "close-err", "close-out close-err"})
    void closedStreams(String operations) throws Exception {
        List<String> command = new ArrayList<>(List.of("raw", "before"));
        command.addAll(List.of(operations.split(" ")));
        command.addAll(List.of("sleep", "0.4", "exit", "9"));

        OpenShellRunOutcome outcome = HostileCli.capture(command.toArray(String[]::new));

        assertThat(outcome.exitCode()).isEqualTo(9);
        assertThat(outcome.stdout().text()).isEqualTo("before");
        assertThat(outcome.elapsed()).isGreaterThan(Duration.ofMillis(390));
    }

    @Test
    @DisplayName("R24 a process and its children that are deaf to SIGTERM are killed after 200 ms")
    void deafToTerm() throws Exception {
        String mark = Processes.mark(60);
        OpenShellRunnerError error = timeOut("ignore-term", "raw", "x", "child", mark, "sleep", mark);

        assertThat(error.stdout().text()).isEqualTo("x");
        assertThat(error.elapsed()).isGreaterThan(Duration.ofMillis(490));
        assertThat(Processes.runs(mark)).isFalse();
    }

    @ParameterizedTest(name = "R24 {0} is killed at the deadline")
    @ValueSource(strings = {"child", "setsid-child"})
    void treeIsGone(String kind) throws Exception {
        String mark = Processes.mark(60);
        timeOut(kind, mark, "sleep", "60");

        assertThat(Processes.runs(mark)).isFalse();
    }

    @Test
    @DisplayName("R24 a child that holds the pipes is found behind a process that has closed its own")
    void closedStreamsHideNobody() throws Exception {
        String mark = Processes.mark(60);
        timeOut("child", mark, "close-out", "close-err", "sleep", "60");

        assertThat(Processes.runs(mark)).isFalse();
    }

    @ParameterizedTest(name = "R24 {0}: what left the tree is left alone, holding a pipe or not, and delays nothing")
    @ValueSource(strings = {"daemon", "daemon-err", "daemon-fd3", "daemon-closed"})
    void daemonsAreLeftAlone(String kind) throws Exception {
        String mark = Processes.mark(3);
        timeOut(kind, mark, "sleep", "60");

        assertThat(Processes.runs(mark)).isTrue();
        assertGone(mark);
    }

    @Test
    @DisplayName("R24 a daemon that writes to a pipe of ours ends by its next write")
    void writingDaemonEnds() throws Exception {
        String mark = Processes.mark(60);
        timeOut("daemon-shell", "echo " + mark + "; sleep 1; echo x; exec sleep " + mark, "sleep", "60");

        Await.until("the broken pipe", () -> !Processes.runs(mark));
    }

    @Test
    @DisplayName("R24 a fork storm does not delay the return")
    void forkStorm() throws Exception {
        timeOut("storm", "3");
    }

    @Test
    @DisplayName("R24 a discarding run ends its tree at the deadline")
    void discardingEndsItsTree() throws Exception {
        String mark = Processes.mark(60);
        OpenShellRunnerError error = HostileCli.error(OpenShellRunOptions.discarding(Duration.ofMillis(300)),
                "raw", "x", "setsid-child", mark, "child", mark, "sleep", mark);

        assertThat(error.reason()).isEqualTo(Reason.DEADLINE);
        assertThat(error.elapsed()).isLessThan(Duration.ofMillis(1300));
        assertThat(error.stdout()).isEqualTo(CapturedOutput.EMPTY);
        assertThat(Processes.runs(mark)).isFalse();
    }

    @RepeatedTest(value = 5, name = "R24 what a process says when it gets SIGTERM is kept ({currentRepetition})")
    void lastWords() throws Exception {
        OpenShellRunnerError error = timeOut("raw", "first ", "last-words", "and last", "60");

        assertThat(error.stdout().text()).isEqualTo("first and last");
    }

    @Test
    @DisplayName("R24 a flood is ended by the deadline, with the first bytes kept")
    void floodIsEnded() throws Exception {
        // Longer than the others, for a slow machine to write so much.
        OpenShellRunnerError error = HostileCli.timeOut(1_000, "both", "f", "999999999999", "65536");

        assertThat(error.reason()).isEqualTo(Reason.DEADLINE);
        assertThat(error.elapsed()).isBetween(SECOND, SECOND.multipliedBy(2));
        assertThat(error.stdout().bytes()).hasSize(262_144).containsOnly('f');
        assertThat(error.stdout().truncated()).isTrue();
    }

    @Test
    @DisplayName("a neighbour whose pipe a child made its own is not killed: a process that this JVM reads from")
    void neighbourOfThisJvm() throws Exception {
        // The second of them is younger than the root, so that its age does not tell that it is a neighbour.
        Process neighbour = new ProcessBuilder("sh", "-c", "echo ready; sleep 0.2; sleep 60").start();
        try {
            assertThat(neighbour.inputReader().readLine()).isEqualTo("ready");
            timeOut("steal", Long.toString(neighbour.pid()), "close-err", "sleep", "60");
            assertThat(neighbour.isAlive()).isTrue();
            assertThat(neighbour.descendants()).anyMatch(child -> Processes.isAlive(child.pid()));
        } finally {
            neighbour.descendants().forEach(ProcessHandle::destroyForcibly);
            neighbour.destroyForcibly();
        }
    }

    @Test
    @DisplayName("a neighbour whose pipe a child made its own is not killed: another run, and a pipeline of strangers")
    void neighbourOfAnother(@TempDir Path dir) throws Exception {
        Path pid = dir.resolve("pid");
        Thread other = new Thread(() -> {
            try {
                assertThat(HostileCli.capture("pid", pid.toString(), "sleep", "2", "raw", "done").stdout().text())
                        .isEqualTo("done");
                Files.createFile(dir.resolve("whole"));
            } catch (InterruptedException | IOException e) {
                throw new AssertionError(e);
            }
        });
        Process strangers = new ProcessBuilder("sh", "-c", "sleep 61 | sleep 62").start();
        other.start();
        try {
            Await.until("the other run", () -> Files.exists(pid));
            timeOut("steal", Files.readString(pid).strip(), "sleep", "60");
            Await.until("the pipeline", () -> strangers.children().count() == 2);
            long first = strangers.children().mapToLong(ProcessHandle::pid).min().orElseThrow();
            timeOut("steal", Long.toString(first), "sleep", "60");
            assertThat(strangers.children().filter(child -> Processes.isAlive(child.pid()))).hasSize(2);
            other.join();
            assertThat(dir.resolve("whole")).exists();
        } finally {
            strangers.descendants().forEach(ProcessHandle::destroyForcibly);
            strangers.destroyForcibly();
        }
    }

    @ParameterizedTest(name = "R26 an interrupt while {0} kills the tree and throws")
    @ValueSource(strings = {"sleep", "flood", "discard"})
    void interruptWhileRunning(String what, @TempDir Path dir) throws Exception {
        String mark = Processes.mark(60);
        Path started = dir.resolve("started");
        OpenShellRunOptions options = what.equals("discard") ? OpenShellRunOptions.discarding(Duration.ofSeconds(30))
                : OpenShellRunOptions.capturing(Duration.ofSeconds(30));
        Running running = what.equals("flood")
                ? new Running(HostileCli.RUNNER, options,
                        "child", mark, "touch", started.toString(), "both", "x", "999999999999", "65536")
                : new Running(HostileCli.RUNNER, options, "child", mark, "touch", started.toString(), "sleep", mark);
        Await.until("the start", () -> Files.exists(started));

        assertThat(running.interrupt()).isInstanceOf(InterruptedException.class);

        assertThat(running.flag()).isFalse();
        assertThat(Processes.runs(mark)).isFalse();
    }

    @Test
    @DisplayName("R26 an interrupt at any moment of a start leaves nothing behind")
    void interruptDuringTheStart() throws Exception {
        // A program that forks nothing: what a shell forks in the very moment of the signal is beyond reach.
        String mark = Processes.mark(60);
        for (int i = 0; i < 100; i++) {
            Running running = new Running(HostileCli.RUNNER, OpenShellRunOptions.capturing(Duration.ofSeconds(30)),
                    "exec-sleep", mark);
            TimeUnit.MICROSECONDS.sleep(i * 50L);
            assertThat(running.interrupt()).isInstanceOf(InterruptedException.class);
        }
        assertGone(mark);
        Await.until("no child", () -> Processes.children() == 0);
    }

    @Test
    @DisplayName("R26 an interrupt during the kill is put off: TIMED_OUT, with the flag set")
    void interruptDuringTheKill() throws Exception {
        Running running = new Running(HostileCli.RUNNER, OpenShellRunOptions.capturing(Duration.ofMillis(300)),
                "ignore-term", "sleep", "60");
        Await.until("the kill", () -> Arrays.stream(running.stack())
                .anyMatch(frame -> frame.getClassName().endsWith("ProcessTree") && frame.getMethodName().equals("await")));

        assertThat(running.interrupt()).isInstanceOfSatisfying(OpenShellRunnerError.class,
                e -> assertThat(e.kind()).isEqualTo(Kind.TIMED_OUT));
        assertThat(running.flag()).isTrue();
    }

    @Test
    @DisplayName("R26 an interrupt around the exit gives the outcome with the flag set, or the exception without it")
    void interruptAroundTheExit() throws Exception {
        for (int i = 0; i < 60; i++) {
            Running running = new Running(HostileCli.RUNNER, OpenShellRunOptions.capturing(Duration.ofSeconds(30)),
                    "raw", "x", "exit", "0");
            TimeUnit.MICROSECONDS.sleep(i * 100L);
            Object result = running.interrupt();
            if (result instanceof OpenShellRunOutcome outcome) {
                assertThat(outcome.stdout().text()).isEqualTo("x");
            } else {
                assertThat(result).isInstanceOf(InterruptedException.class);
                assertThat(running.flag()).isFalse();
            }
        }
        Await.until("no child", () -> Processes.children() == 0);
    }

    @Test
    @DisplayName("R40 a deadline below a second is not rounded")
    void shortDeadline() throws Exception {
        OpenShellRunnerError error = HostileCli.timeOut(400, "sleep", "5");

        assertThat(error.elapsed()).isBetween(Duration.ofMillis(400), Duration.ofMillis(1400));
    }

    @Test
    @DisplayName("R37 an executable that is open for writing: LAUNCH_FAILED, and nothing has run")
    void busyExecutable() throws Exception {
        Path busy = HostileCli.executable("#!/bin/sh\nexit 0\n");
        OpenShellRunner runner = OpenShellRunner.of(
                OpenShellCli.unverified(busy, OpenShellEnvironment.select(HostileCli.HOST)));
        try (RandomAccessFile writer = new RandomAccessFile(busy.toFile(), "rw")) {
            assertThat(writer.length()).isPositive();
            assertThatThrownBy(() -> runner.run(OpenShellArgv.version(), OpenShellRunOptions.capturing(SECOND)))
                    .isInstanceOfSatisfying(OpenShellRunnerError.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.LAUNCH_FAILED));
        }
        assertThat(runner.run(OpenShellArgv.version(), OpenShellRunOptions.capturing(SECOND)).exitCode()).isZero();
    }

    @Test
    @DisplayName("R41 text that this JVM cannot hand over is refused before a start; a UTF-8 locale hands it over")
    void encodingOfTheJvm() throws Exception {
        List<String> command = ChildJvm.command(List.of(), Encoding.class, HostileCli.EXECUTABLE.toString());

        assertThat(ChildJvm.run(command, Map.of("LC_ALL", "C")).output()).isEqualTo(
                "ARGV_INVALID [ARGUMENT_CHARACTER /argv/1]\nFAILED LAUNCH_FAILED\n");
        assertThat(ChildJvm.run(command, Map.of("LC_ALL", "C.UTF-8")).output())
                .isEqualTo("303 251 346 227 245\nok\n");
    }

    /** Runs a command with an argument, and one with an environment value, beyond ASCII. */
    static final class Encoding {

        private Encoding() {
        }

        public static void main(String[] args) throws Exception {
            OpenShellEnvironment plain = OpenShellEnvironment.select(HostileCli.HOST);
            OpenShellRunOptions options = OpenShellRunOptions.capturing(Duration.ofSeconds(10));
            Path octal = HostileCli.executable("#!/bin/sh\nshift 9\nprintf %s \"$2\" | od -An -to1\n");
            try {
                System.out.print(OpenShellRunner.of(OpenShellCli.unverified(octal, plain))
                        .run(HostileCli.argv("raw", "\u00e9\u65e5"), options).stdout().text().strip() + "\n");
            } catch (RefusedException e) {
                System.out.print(e.code() + " " + Refusals.summary(e) + "\n");
            }
            try {
                OpenShellRunner.of(OpenShellCli.unverified(Path.of(args[0]), OpenShellEnvironment.select(
                        Map.of("HOME", "/\u00e9")))).run(OpenShellArgv.version(), options);
                System.out.print("ok\n");
            } catch (OpenShellRunnerError e) {
                System.out.print(e.kind() + " " + e.reason() + "\n");
            }
        }
    }

    @Test
    @DisplayName("R43, AUD-02 errors and toStrings show no argument, environment value, path of the home or output")
    void errorsKeepSecrets() throws Exception {
        String mark = "Zq7_Tr0ub4dor";
        Path noisy = HostileCli.executable("#!/bin/sh\nprintf '%s' \"$HOME $*\"; printf '%s' \"$HOME\" >&2; sleep 60\n");
        OpenShellEnvironment environment = OpenShellEnvironment.select(Map.of("HOME", "/home/" + mark));
        List<OpenShellRunnerError> errors = new ArrayList<>();
        for (Path executable : List.of(noisy, Path.of("/home/" + mark), Path.of("/"), HostileCli.executable("#!/no/" + mark + "\n"))) {
            OpenShellCli cli = OpenShellCli.unverified(executable, environment);
            assertThat(cli.toString()).doesNotContain(mark.substring(0, 4));
            try {
                OpenShellRunner.of(cli).run(HostileCli.argv(mark, mark), OpenShellRunOptions.capturing(Duration.ofMillis(300)));
            } catch (OpenShellRunnerError e) {
                errors.add(e);
            }
        }
        try {
            OpenShellCli.verify(noisy, environment, Duration.ofMillis(300));
        } catch (OpenShellRunnerError e) {
            errors.add(e);
        }
        assertThat(errors).extracting(OpenShellRunnerError::reason).containsExactly(Reason.DEADLINE,
                Reason.EXECUTABLE_NOT_FOUND, Reason.EXECUTABLE_NOT_EXECUTABLE, Reason.LAUNCH_FAILED, Reason.UNSUPPORTED_CLI);
        assertThat(errors.get(0).stdout().text()).contains(mark);
        for (OpenShellRunnerError error : errors) {
            StringWriter trace = new StringWriter();
            error.printStackTrace(new PrintWriter(trace));
            assertThat(trace.toString() + error.getMessage() + error + error.stdout() + error.stderr())
                    .doesNotContain(mark.substring(0, 4));
            assertThat(error).hasNoCause();
        }
        OpenShellRunOutcome outcome = HostileCli.capture("raw", mark);
        assertThat(outcome.stdout().text()).isEqualTo(mark);
        assertThat(outcome.toString()).doesNotContain(mark.substring(0, 4));
    }
}
