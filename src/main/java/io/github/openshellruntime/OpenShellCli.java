// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.OpenShellRunnerError.Reason;
import java.io.File;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * An {@code openshell} executable, its environment, and proof that its version is 0.1.0 or newer. An older CLI does not
 * refuse {@code --no-login-shell} but runs it as the command, so {@link OpenShellRunner} takes nothing but this token.
 * Immutable and thread-safe; equal when executable, environment and version are.
 *
 * <p>Checked once: replacing the file later is not detected.
 */
public final class OpenShellCli {

    private static final Duration VERSION_DEADLINE = Duration.ofSeconds(10);

    private final Path executable;
    private final OpenShellEnvironment environment;
    private final Optional<OpenShellVersion> version;

    private OpenShellCli(Path executable, OpenShellEnvironment environment, Optional<OpenShellVersion> version) {
        if (!executable.isAbsolute() || executable.getFileSystem() != FileSystems.getDefault()) {
            throw new IllegalArgumentException("the executable must be an absolute path of the default file system");
        }
        this.executable = executable;
        this.environment = Objects.requireNonNull(environment);
        this.version = version;
    }

    /**
     * Runs {@code openshell --version} and takes exactly {@code openshell} and a version from 0.1.0 on by SemVer precedence,
     * as one line on standard output, with exit 0. So {@code 0.1.3-dev.4+g2bf9969}, a build between releases, is taken, and
     * {@code 0.1.0-rc.1} is not. Blocks for 10 seconds at most, a second for a kill, and the time that the system needs to start a
     * process.
     *
     * @throws IllegalArgumentException if the path is relative or of another file system than the default one
     * @throws OpenShellRunnerError with {@code FAILED}: {@code UNSUPPORTED_CLI} for a CLI that is too old, or whose answer is
     *         anything else, endless or not there in time; {@code EXECUTABLE_NOT_FOUND}, {@code EXECUTABLE_NOT_EXECUTABLE},
     *         {@code ARGUMENTS_TOO_LARGE}, {@code LAUNCH_FAILED} if it cannot be started
     * @throws InterruptedException if the thread is interrupted before or during the run; nothing is left behind
     */
    public static OpenShellCli verify(Path executable, OpenShellEnvironment environment) throws InterruptedException {
        return verify(executable, environment, VERSION_DEADLINE);
    }

    static OpenShellCli verify(Path executable, OpenShellEnvironment environment, Duration deadline)
            throws InterruptedException {
        OpenShellRunner runner = OpenShellRunner.of(unverified(executable, environment));
        OpenShellRunOutcome outcome;
        try {
            outcome = runner.run(OpenShellArgv.version(), OpenShellRunOptions.capturing(deadline));
        } catch (OpenShellRunnerError e) {
            if (e.reason() != Reason.DEADLINE && e.reason() != Reason.OUTPUT_FAILED) {
                throw e;
            }
            throw OpenShellRunnerError.unanswered(Reason.UNSUPPORTED_CLI, saying(e.stdout()), e);
        }
        Optional<OpenShellVersion> version = version(outcome.stdout());
        if (outcome.exitCode() != 0 || version.isEmpty() || version.get().compareTo(OpenShellVersion.OLDEST) < 0) {
            throw OpenShellRunnerError.answered(Reason.UNSUPPORTED_CLI, saying(outcome.stdout()), outcome);
        }
        return new OpenShellCli(executable, environment, version);
    }

    private static Optional<OpenShellVersion> version(CapturedOutput answer) {
        try {
            return answer.truncated() ? Optional.empty() : Optional.of(OpenShellVersion.parse(answer.text()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Numbers alone: whatever else a CLI prints is not for a message. */
    private static String saying(CapturedOutput answer) {
        return version(answer).map(version -> "; it says " + version.numbers()
                + (version.preRelease().isEmpty() ? "" : ", a pre-release")).orElse("");
    }

    /**
     * Finds and verifies the CLI of a config: its {@code openshellPath}, or the first executable {@code openshell} on the
     * host's {@code PATH}, whose relative and empty entries are skipped. The environment is
     * {@link OpenShellEnvironment#of(RuntimeConfig, Map, String...)}. Blocks as long as
     * {@link #verify(Path, OpenShellEnvironment)}.
     *
     * @param host usually {@code System.getenv()}
     * @param passing variables of the host that the CLI gets as well, as {@link OpenShellEnvironment#passing} takes them
     * @throws IllegalArgumentException for a name that cannot be passed
     * @throws OpenShellRunnerError as {@link #verify(Path, OpenShellEnvironment)}; {@code EXECUTABLE_NOT_FOUND} also where no
     *         entry of the {@code PATH} has one
     * @throws InterruptedException if the thread is interrupted before or during the run; nothing is left behind
     */
    public static OpenShellCli verify(RuntimeConfig config, Map<String, String> host, String... passing)
            throws InterruptedException {
        OpenShellEnvironment environment = OpenShellEnvironment.of(config, host, passing);
        Path executable = config.openshellPath().or(() -> onPath(host.getOrDefault("PATH", "")))
                .orElseThrow(() -> OpenShellRunnerError.failed(Reason.EXECUTABLE_NOT_FOUND));
        return verify(executable, environment);
    }

    private static Optional<Path> onPath(String path) {
        for (String entry : path.split(File.pathSeparator)) {
            if (entry.startsWith("/")) {
                try {
                    Path candidate = Path.of(entry, "openshell");
                    if (Files.isRegularFile(candidate) && Files.isExecutable(candidate)) {
                        return Optional.of(candidate);
                    }
                } catch (InvalidPathException e) {
                    // An entry that this system cannot name holds no program.
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Takes an executable on trust: the one door around the version check, for a CLI that was checked otherwise.
     *
     * @throws IllegalArgumentException if the path is relative or of another file system than the default one
     */
    public static OpenShellCli unverified(Path executable, OpenShellEnvironment environment) {
        return new OpenShellCli(executable, environment, Optional.empty());
    }

    /** Returns the executable, absolute. */
    public Path executable() {
        return executable;
    }

    /** Returns the environment of its processes. */
    public OpenShellEnvironment environment() {
        return environment;
    }

    /** Returns the version that it has shown; empty when unverified. */
    public Optional<OpenShellVersion> version() {
        return version;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OpenShellCli that && executable.equals(that.executable)
                && environment.equals(that.environment) && version.equals(that.version);
    }

    @Override
    public int hashCode() {
        return executable.hashCode();
    }

    /** Returns the version and the names of the environment; neither path nor value. */
    @Override
    public String toString() {
        return "OpenShellCli[version=" + version.map(OpenShellVersion::toString).orElse("unverified") + ", environment="
                + environment.asMap().keySet() + "]";
    }
}
