// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The stand-in that misbehaves, written once for the JVM: see the script for what it can do. */
final class HostileCli {

    static final Path EXECUTABLE = install("hostile-openshell");
    static final Map<String, String> HOST = Map.of("PATH", "/usr/bin:/bin", "HOME", "/");
    static final OpenShellRunner RUNNER =
            OpenShellRunner.of(OpenShellCli.unverified(EXECUTABLE, OpenShellEnvironment.select(HOST)));

    private static final SessionId SESSION = SessionId.of("hostile");

    private HostileCli() {
    }

    private static Path install(String resource) {
        try (InputStream script = HostileCli.class.getResourceAsStream(resource)) {
            return executable(new String(script.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes an executable to be deleted at the end of the JVM. Closed before it is run: else it could be busy. */
    static Path executable(String text) {
        try {
            Path file = Files.createTempFile("openshell-", ".test");
            file.toFile().deleteOnExit();
            Files.writeString(file, text);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static OpenShellArgv argv(String... operations) {
        return OpenShellArgv.exec(SESSION, List.of(operations));
    }

    static OpenShellRunOutcome capture(String... operations) throws InterruptedException {
        return RUNNER.run(argv(operations), OpenShellRunOptions.capturing(Duration.ofSeconds(30)));
    }

    /** The error of a run. */
    static OpenShellRunnerError error(OpenShellRunOptions options, String... operations) throws InterruptedException {
        try {
            throw new AssertionError("ended by itself: " + RUNNER.run(argv(operations), options));
        } catch (OpenShellRunnerError e) {
            return e;
        }
    }

    /** The error of a run that captures for {@code millis}. */
    static OpenShellRunnerError timeOut(long millis, String... operations) throws InterruptedException {
        return error(OpenShellRunOptions.capturing(Duration.ofMillis(millis)), operations);
    }
}
