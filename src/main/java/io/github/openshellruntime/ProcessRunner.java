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
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The runner that starts processes; the only class that names {@link ProcessBuilder}. */
final class ProcessRunner implements OpenShellRunner {

    private static final File NOTHING = new File("/dev/null");
    private static final File ROOT = new File("/");

    /** How the JDK writes the system's error number; the words differ between versions. */
    private static final Pattern ERRNO = Pattern.compile("error[=:] ?([1-9][0-9]{0,3})\\b");
    private static final int ENOENT = 2;
    private static final int E2BIG = 7;
    private static final int EACCES = 13;
    /** Nothing is there: a file on the way is no directory, a name is too long, links go in a circle. */
    private static final Set<Integer> NOWHERE = Set.of(20, 36, 40);

    /** More starts at once make all of them slower: a start is mostly the work of a helper process. A second is waited. */
    private static final Semaphore STARTS = new Semaphore(2 * Runtime.getRuntime().availableProcessors());

    private final OpenShellCli cli;
    private final boolean launchable;

    ProcessRunner(OpenShellCli cli) {
        this.cli = cli;
        List<String> texts = new ArrayList<>(cli.environment().asMap().values());
        texts.add(cli.executable().toString());
        this.launchable = texts.stream().allMatch(text -> Text.fitsAnArgument(text) && Text.survivesLaunch(text));
    }

    @Override
    public OpenShellRunOutcome run(OpenShellArgv argv, OpenShellRunOptions options) throws InterruptedException {
        Objects.requireNonNull(options);
        argv.refuseWhatThisJvmLoses();
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before a run; nothing was started");
        }
        return EventRun.record(argv, options, ProcessThread.chosen(() -> follow(argv, options)));
    }

    private OpenShellRunOutcome follow(OpenShellArgv argv, OpenShellRunOptions options) throws InterruptedException {
        return ProcessRun.follow(start(builder(argv, options)), options);
    }

    private Process start(ProcessBuilder builder) throws InterruptedException {
        boolean passed = STARTS.tryAcquire(1, TimeUnit.SECONDS);
        try {
            return builder.start();
        } catch (IOException e) {
            OptionalInt errno = errno(e);
            throw OpenShellRunnerError.notStarted(reason(errno.orElse(0)), errno);
        } finally {
            if (passed) {
                STARTS.release();
            }
        }
    }

    private ProcessBuilder builder(OpenShellArgv argv, OpenShellRunOptions options) {
        if (!launchable) {
            throw OpenShellRunnerError.failed(Reason.LAUNCH_FAILED);
        }
        List<String> command = new ArrayList<>(argv.asList());
        command.set(0, cli.executable().toString());
        ProcessBuilder builder = new ProcessBuilder(command).directory(ROOT).redirectInput(NOTHING);
        if (!options.captureOutput()) {
            builder.redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD);
        }
        builder.environment().clear();
        builder.environment().putAll(cli.environment().asMap());
        return builder;
    }

    /** From the cause: the outer message begins with the path, and a path can hold anything. */
    private static OptionalInt errno(IOException failure) {
        String message = failure.getCause() == null ? "" : String.valueOf(failure.getCause().getMessage());
        Matcher matcher = ERRNO.matcher(message);
        return matcher.find() ? OptionalInt.of(Integer.parseInt(matcher.group(1))) : OptionalInt.empty();
    }

    /** The error number is the same for a missing program and a missing interpreter: a look tells which. */
    private Reason reason(int errno) {
        Path executable = cli.executable();
        if ((errno == ENOENT || NOWHERE.contains(errno)) && !Files.exists(executable)) {
            return Reason.EXECUTABLE_NOT_FOUND;
        }
        if (errno == EACCES && (Files.isDirectory(executable) || !Files.isExecutable(executable))) {
            return Reason.EXECUTABLE_NOT_EXECUTABLE;
        }
        return errno == E2BIG ? Reason.ARGUMENTS_TOO_LARGE : Reason.LAUNCH_FAILED;
    }
}
