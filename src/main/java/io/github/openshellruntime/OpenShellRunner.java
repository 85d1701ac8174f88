// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.OpenShellRunnerError.Reason;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Runs {@code openshell} calls: no shell, no inherited environment, nothing on standard input, bounded output, a deadline.
 * Thread-safe; concurrent runs share nothing but a gate of twice the number of processors around the start of a process,
 * which is ignored after a second. Everything happens on the calling thread; no thread of ours exists, and no run that has
 * ended leaves a thread (the JDK's idle {@code process reaper} aside) or a file descriptor behind.
 *
 * <h2>The process</h2>
 *
 * The executable of the {@link OpenShellCli} stands in for argv's first element, the working directory is {@code /}, the
 * environment is the CLI's and nothing else, standard input is {@code /dev/null} (the CLI reads a pipe to its end before it
 * starts a command).
 *
 * <h2>Output</h2>
 *
 * Capturing, each stream keeps its first 262,144 bytes and is drained to its end, so the process neither blocks nor dies of
 * the bound. When the process has exited, what its pipes hold at that moment is taken and the run returns: all that the
 * command itself wrote is there. What a process that it left behind writes later is not waited for and marks nothing, and
 * such a process is not killed. A process that closes its streams and lives on is waited for. Discarding, the operating
 * system drops both streams.
 *
 * <h2>Deadline and interrupt</h2>
 *
 * The deadline counts from the moment the process is started; a start that the system delays is not bounded by it. When it
 * passes, the process and its descendants get SIGTERM, after 200 ms SIGKILL; then a capturing run closes its pipes and does
 * the same to whoever still holds one. Usually that takes up to 300 ms, 550 ms where such a holder is deaf to SIGTERM, and
 * never over a second while this JVM is given processor time. Beyond reach are a process that left the tree by a double fork
 * and holds no pipe of ours (as every one that left a discarding run), the last children of a fork storm, and what is behind
 * more processes than a walk sees in 100 ms, which begins at the run's own and sees 64 at least. An interrupt ends a run in
 * the same way; one that comes during the kill is put off, one that comes after the exit leaves the outcome and stays set.
 *
 * <p><b>The sandbox does not notice.</b> After the local CLI is killed a command in the sandbox goes on to its end, and a
 * create that was cut short leaves a sandbox behind (both were seen on a real one): delete the realm.
 *
 * <p>Each run is an event {@code io.github.openshellruntime.Run} of the JDK Flight Recorder: verb, sandbox, captured or not,
 * exit code or reason, bytes seen and truncation of each stream; no argument, output or environment value.
 *
 * <p>On a virtual thread before JDK 24 a capturing run holds its carrier.
 */
public final class OpenShellRunner {

    private static final File NOTHING = new File("/dev/null");
    private static final File ROOT = new File("/");
    /** The kernel's E2BIG in the messages of the JDK, whose words differ from version to version. */
    private static final Pattern TOO_BIG = Pattern.compile("error[=:] ?7\\b");

    /** More starts at once than this make all of them slower: a start is mostly the work of a helper process. */
    private static final Semaphore STARTS = new Semaphore(2 * Runtime.getRuntime().availableProcessors());
    private static final long GATE_SECONDS = 1;

    private final OpenShellCli cli;

    private OpenShellRunner(OpenShellCli cli) {
        this.cli = Objects.requireNonNull(cli);
    }

    /** Returns a runner for a CLI; cheap, nothing is started. */
    public static OpenShellRunner of(OpenShellCli cli) {
        return new OpenShellRunner(cli);
    }

    /**
     * Runs a call to its end and blocks until then, at most for the deadline, a second, and the time that the system needs
     * to start a process.
     *
     * @return the exit code, whatever it is, and what was printed; see {@link OpenShellRunOutcome} for what codes prove
     * @throws RefusedException with {@link RefusedException.Code#ARGV_INVALID}, rule ARGUMENT_CHARACTER, for an argument
     *         beyond ASCII where this JVM would not hand it over as UTF-8 (it was started without a UTF-8 locale)
     * @throws OpenShellRunnerError with {@code TIMED_OUT} when the deadline passes; with {@code FAILED} and
     *         {@code EXECUTABLE_NOT_FOUND}, {@code EXECUTABLE_NOT_EXECUTABLE}, {@code ARGUMENTS_TOO_LARGE},
     *         {@code LAUNCH_FAILED} when the process cannot be started (a file without a known format is run by
     *         {@code /bin/sh}, which is the JDK's doing), {@code OUTPUT_FAILED} when a stream cannot be read
     * @throws InterruptedException if the thread is interrupted, before the start (nothing is started) or during the run
     *         (its process tree is killed)
     */
    public OpenShellRunOutcome run(OpenShellArgv argv, OpenShellRunOptions options) throws InterruptedException {
        Objects.requireNonNull(options);
        requireTransportable(argv);
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before a run; nothing was started");
        }
        RunEvent event = new RunEvent();
        event.begin();
        try {
            OpenShellRunOutcome outcome = ChildRun.follow(start(argv, options), options);
            event.ended(argv, options, outcome);
            return outcome;
        } catch (OpenShellRunnerError e) {
            event.failed(argv, options, e);
            throw e;
        } catch (InterruptedException e) {
            event.interrupted(argv, options);
            throw e;
        }
    }

    private void requireTransportable(OpenShellArgv argv) {
        List<Problem> problems = new ArrayList<>();
        for (int i = 1; i < argv.asList().size(); i++) {
            String argument = argv.asList().get(i);
            if (!Text.fitsAnArgument(argument) || !Text.survivesLaunch(argument)) {
                problems.add(Problem.of(Problem.Rule.ARGUMENT_CHARACTER, "/argv/" + i,
                        "has a character that this JVM cannot hand over", "start the JVM in a UTF-8 locale"));
            }
        }
        if (!problems.isEmpty()) {
            throw new RefusedException(RefusedException.Code.ARGV_INVALID, "command", problems);
        }
    }

    private Process start(OpenShellArgv argv, OpenShellRunOptions options) throws InterruptedException {
        ProcessBuilder builder = builder(argv, options);
        boolean passed = STARTS.tryAcquire(GATE_SECONDS, TimeUnit.SECONDS);
        try {
            return builder.start();
        } catch (IOException e) {
            throw OpenShellRunnerError.notStarted(reason(e));
        } finally {
            if (passed) {
                STARTS.release();
            }
        }
    }

    private ProcessBuilder builder(OpenShellArgv argv, OpenShellRunOptions options) {
        List<String> command = new ArrayList<>(argv.asList());
        command.set(0, cli.executable().toString());
        ProcessBuilder builder = new ProcessBuilder(command).directory(ROOT).redirectInput(NOTHING);
        if (!options.captureOutput()) {
            builder.redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD);
        }
        builder.environment().clear();
        if (!Text.survivesLaunch(command.get(0))) {
            throw OpenShellRunnerError.notStarted(Reason.LAUNCH_FAILED);
        }
        cli.environment().asMap().forEach((name, value) -> {
            if (!Text.fitsAnArgument(value) || !Text.survivesLaunch(value)) {
                throw OpenShellRunnerError.notStarted(Reason.LAUNCH_FAILED);
            }
            builder.environment().put(name, value);
        });
        return builder;
    }

    /** The JDK's message is not passed on: it prints paths. Which file it was that failed is seen by looking. */
    private Reason reason(IOException failure) {
        Path executable = cli.executable();
        if (TOO_BIG.matcher(String.valueOf(failure.getMessage())).find()) {
            return Reason.ARGUMENTS_TOO_LARGE;
        }
        if (Files.notExists(executable)) {
            return Reason.EXECUTABLE_NOT_FOUND;
        }
        if (Files.isDirectory(executable) || !Files.isExecutable(executable)) {
            return Reason.EXECUTABLE_NOT_EXECUTABLE;
        }
        return Reason.LAUNCH_FAILED;
    }
}
