// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import example.StandIn;
import io.github.openshellruntime.OpenShellArgv.Verb;
import io.github.openshellruntime.testing.InMemoryOpenShell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** An OpenShell that the same tests can run over, and what they may set of it. */
interface AnyOpenShell {

    /** What exec is asked for in these tests: output on both streams, and an exit code. */
    List<String> COMMAND = List.of("/bin/sh", "-c", "echo out; echo err >&2; exit 7");

    OpenShellRunner runner();

    /** For how many looks a new realm is provisioning. */
    void provisioning(int looks) throws Exception;

    /** The phase of every realm that is not provisioning, as get writes it. */
    void phase(String phase) throws Exception;

    /** A policy that replaces that of every realm. */
    void globalPolicy() throws Exception;

    /** A create ends with 1 from now on when it has made its realm. */
    void createFails() throws Exception;

    /** Stops what runs. */
    default void stop() throws Exception {
        // Nothing does.
    }

    static AnyOpenShell inMemory() {
        return new InMemory();
    }

    static AnyOpenShell standIn(StandIn standIn) throws Exception {
        return new Scripted(standIn);
    }

    /** 0.0.111, whose gateway leaves out the flag that it does not know; needs what the contract suite needs. */
    static AnyOpenShell real(Path home) throws Exception {
        Path settings = home.resolve("settings.json");
        return new Real(home, RealOpenShell.start(home, "--drop-no-login-shell", "--settings", settings.toString()));
    }

    /** The gateway in memory. It knows no phase but two and no create that fails, so a decorator makes these. */
    final class InMemory implements AnyOpenShell {
        private final InMemoryOpenShell gateway = new InMemoryOpenShell().onExec(argv -> argv.command().equals(COMMAND)
                ? outcome(7, "out\n", "err\n") : outcome(0, "", ""));
        private String phase = "Ready";
        private boolean createFails;

        private static OpenShellRunOutcome outcome(int exitCode, String stdout, String stderr) {
            return OpenShellRunOutcome.captured(exitCode, Duration.ZERO, CapturedOutput.ofText(stdout),
                    CapturedOutput.ofText(stderr));
        }

        @Override
        public OpenShellRunner runner() {
            return (argv, options) -> {
                OpenShellRunOutcome outcome = gateway.run(argv, options);
                String stdout = outcome.stdout().text();
                if (argv.verb() == Verb.GET) {
                    String shown = stdout.replace("\"phase\": \"Ready\"", "\"phase\": \"" + phase + "\"");
                    return outcome(outcome.exitCode(), shown, outcome.stderr().text());
                }
                boolean fails = argv.verb() == Verb.CREATE && createFails;
                return fails ? outcome(1, stdout, "Error:   \u00d7 failed\n\n") : outcome;
            };
        }

        @Override
        public void provisioning(int looks) {
            gateway.provisioning(looks);
        }

        @Override
        public void phase(String phase) {
            this.phase = phase;
        }

        @Override
        public void globalPolicy() {
            gateway.policySource("global");
        }

        @Override
        public void createFails() {
            createFails = true;
        }
    }

    /** The stand-in CLI. */
    final class Scripted implements AnyOpenShell {
        private final StandIn standIn;
        private final OpenShellRunner runner;

        Scripted(StandIn standIn) throws InterruptedException {
            this.standIn = standIn;
            OpenShellEnvironment environment = OpenShellEnvironment.select(standIn.host());
            runner = OpenShellRunner.of(OpenShellCli.verify(standIn.executable(), environment));
        }

        @Override
        public OpenShellRunner runner() {
            return runner;
        }

        @Override
        public void provisioning(int looks) throws IOException {
            standIn.set("looks", Integer.toString(looks));
        }

        @Override
        public void phase(String phase) throws IOException {
            standIn.set("phase", phase);
        }

        @Override
        public void globalPolicy() throws IOException {
            standIn.set("policy-source", "global");
        }

        @Override
        public void createFails() throws IOException {
            standIn.set("create-exit", "1");
        }
    }

    /** The real CLI over the stand-in gateway. */
    final class Real implements AnyOpenShell {
        private final Path home;
        private final RealOpenShell openShell;
        private final Map<String, String> settings = new LinkedHashMap<>();

        Real(Path home, RealOpenShell openShell) {
            this.home = home;
            this.openShell = openShell;
        }

        private void set(String name, String json) throws IOException {
            settings.put(name, json);
            Path file = home.resolve("settings.json.new");
            Files.writeString(file, settings.entrySet().stream().map(each -> "\"" + each.getKey() + "\": " + each.getValue())
                    .collect(Collectors.joining(", ", "{", "}")));
            Files.move(file, home.resolve("settings.json"), StandardCopyOption.ATOMIC_MOVE);
        }

        @Override
        public OpenShellRunner runner() {
            return openShell.runner();
        }

        @Override
        public void provisioning(int looks) throws IOException {
            set("looks", Integer.toString(looks));
        }

        @Override
        public void phase(String phase) throws IOException {
            set("phase", "\"" + phase.toUpperCase(Locale.ROOT) + "\"");
        }

        @Override
        public void globalPolicy() throws Exception {
            RuntimeConfig other = RuntimeConfig.builder(List.of("/usr/bin/other"))
                    .egressAllow(List.of("other.example.com")).build();
            Path file = Files.writeString(home.resolve("global.json"),
                    PolicyDocuments.render(other.egressAllow(), "/usr/bin/other").json());
            OpenShellRunOutcome set = openShell.run(
                    AnyArgv.of("openshell", "policy", "set", "--global", "--yes", "--policy", file.toString()));
            if (set.exitCode() != 0) {
                throw new AssertionError(set.stderr().text());
            }
        }

        @Override
        public void createFails() throws IOException {
            set("create_fails", "true");
        }

        @Override
        public void stop() throws Exception {
            openShell.stop();
        }
    }
}
