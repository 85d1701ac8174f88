// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.OpenShellRunnerError.Reason;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * An {@code openshell} executable, the environment that it is run with, and proof that it is one from 0.1.0 on. An older
 * CLI does not refuse {@code --no-login-shell} but runs it as the command, so {@link OpenShellRunner} takes nothing but
 * this token. Immutable and thread-safe; equal when executable, environment and version are.
 *
 * <p>The proof is of the moment: a file that is exchanged later is not looked at again.
 */
public final class OpenShellCli {

    private static final Duration VERSION_DEADLINE = Duration.ofSeconds(10);
    private static final Duration HEAD_START = Duration.ofSeconds(5);

    private final Path executable;
    private final OpenShellEnvironment environment;
    private final Optional<OpenShellVersion> version;

    private OpenShellCli(Path executable, OpenShellEnvironment environment, Optional<OpenShellVersion> version) {
        if (!executable.isAbsolute()) {
            throw new IllegalArgumentException("the executable must be an absolute path");
        }
        this.executable = executable;
        this.environment = Objects.requireNonNull(environment);
        this.version = version;
    }

    /**
     * Runs {@code openshell --version} and takes exactly {@code openshell X.Y.Z} from 0.1.0 on, as one line on standard
     * output, with exit 0. Blocks for 10 seconds at most, and the time that the system needs to start a process.
     *
     * @throws IllegalArgumentException if the path is relative
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
        OpenShellCli candidate = unverified(executable, environment);
        OpenShellRunOutcome outcome;
        try {
            outcome = OpenShellRunner.of(candidate).run(OpenShellArgv.version(), OpenShellRunOptions.capturing(deadline));
        } catch (OpenShellRunnerError e) {
            if (e.reason() != Reason.DEADLINE && e.reason() != Reason.OUTPUT_FAILED) {
                throw e;
            }
            throw new OpenShellRunnerError(Reason.UNSUPPORTED_CLI, e.stdout(), e.stderr(), e.elapsed());
        }
        Optional<OpenShellVersion> version = supported(outcome);
        if (version.isEmpty()) {
            throw new OpenShellRunnerError(Reason.UNSUPPORTED_CLI, outcome.stdout(), outcome.stderr(), outcome.elapsed());
        }
        return new OpenShellCli(executable, environment, version);
    }

    private static Optional<OpenShellVersion> supported(OpenShellRunOutcome outcome) {
        if (outcome.exitCode() != 0 || outcome.stdout().truncated()) {
            return Optional.empty();
        }
        try {
            OpenShellVersion version = OpenShellVersion.parse(outcome.stdout().text());
            return version.compareTo(OpenShellVersion.OLDEST) < 0 ? Optional.empty() : Optional.of(version);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * Finds and verifies the CLI of a config: its {@code openshellPath}, or the first executable {@code openshell} on the
     * host's {@code PATH}, whose relative and empty entries are skipped. The environment is
     * {@link OpenShellEnvironment#select} with the config's gateway and workspace, and a provision timeout: the config's
     * create timeout less 5 seconds, but at least half of it, rounded up. So the CLI can say why a sandbox did not start
     * before our deadline ends it; it counts seconds without progress, so it need not.
     *
     * @param host usually {@code System.getenv()}
     * @throws OpenShellRunnerError as {@link #verify(Path, OpenShellEnvironment)}; {@code EXECUTABLE_NOT_FOUND} when there
     *         is none on the {@code PATH}, too
     * @throws InterruptedException if the thread is interrupted before or during the run; nothing is left behind
     */
    public static OpenShellCli verify(RuntimeConfig config, Map<String, String> host) throws InterruptedException {
        Path executable = config.openshellPath().or(() -> onPath(host.getOrDefault("PATH", "")))
                .orElseThrow(() -> OpenShellRunnerError.notStarted(Reason.EXECUTABLE_NOT_FOUND));
        return verify(executable, environment(config, host));
    }

    static OpenShellEnvironment environment(RuntimeConfig config, Map<String, String> host) {
        OpenShellEnvironment environment = OpenShellEnvironment.select(host)
                .withProvisionTimeout(provisionTimeout(config.createTimeout()));
        if (config.gateway().isPresent()) {
            environment = environment.withGateway(config.gateway().get());
        }
        return config.workspace().isPresent() ? environment.withWorkspace(config.workspace().get()) : environment;
    }

    private static Duration provisionTimeout(Duration createTimeout) {
        Duration half = createTimeout.dividedBy(2);
        Duration early = createTimeout.minus(HEAD_START);
        return early.compareTo(half) > 0 ? early : half;
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
     * @throws IllegalArgumentException if the path is relative
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
