// SPDX-License-Identifier: Apache-2.0
package example;

import io.github.openshellruntime.LaunchPlan;
import io.github.openshellruntime.OpenShellCli;
import io.github.openshellruntime.OpenShellRunOutcome;
import io.github.openshellruntime.OpenShellRunner;
import io.github.openshellruntime.Realms;
import io.github.openshellruntime.RuntimeConfig;
import io.github.openshellruntime.RuntimeConfigLoader;
import io.github.openshellruntime.SessionId;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A small dispatcher: loads a config, opens a realm, runs a command in it, closes it, and prints all of that. With
 * {@code -Dopenshell.live=true} it uses the {@code openshell} on the {@code PATH} and the active gateway; else a stand-in.
 */
public final class QuickStart {

    private static final int SHOWN = 5;

    private final PrintStream out;

    QuickStart(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        QuickStart quickStart = new QuickStart(System.out);
        Path config = Path.of("src/test/resources/example/runtime.json");
        Path work = Files.createTempDirectory("openshell-quick-start");
        try {
            if (Boolean.getBoolean("openshell.live")) {
                System.out.println("LIVE: this creates a sandbox on the active OpenShell gateway, and deletes it.");
                quickStart.run(config, work.resolve("policies"), System.getenv());
            } else {
                System.out.println("STAND-IN: OpenShell itself is not used; -Dopenshell.live=true uses it.");
                quickStart.run(config, work.resolve("policies"), StandIn.install(work).host());
            }
        } finally {
            StandIn.delete(work);
        }
    }

    /** One session from its start to its end. */
    void run(Path configFile, Path policyDirectory, Map<String, String> host) throws IOException, InterruptedException {
        RuntimeConfig config = RuntimeConfigLoader.standard().load(configFile);
        say("config", configFile + " -> " + config);
        config.advisories().forEach(advisory -> say("advice", advisory.toString()));
        OpenShellCli cli = OpenShellCli.verify(config, host);
        say("cli", cli.version().orElseThrow() + " at " + cli.executable());
        Realms realms = Realms.of(saying(OpenShellRunner.of(cli)), config, policyDirectory);
        SessionId session = SessionId.derive(UUID.randomUUID().toString());
        LaunchPlan plan = LaunchPlan.of(config, session, policyDirectory);
        plan.toString().lines().forEach(line -> say("plan", line));
        realms.open(session);
        try {
            say("policy", plan.policyPath() + " " + PosixFilePermissions.toString(Files.getPosixFilePermissions(plan.policyPath())));
            out.print(Files.readString(plan.policyPath()));
            realms.exec(session, List.of("/bin/echo", "hello from", session.sandboxName()));
        } finally {
            realms.close(session);
        }
        say("phase", realms.state(session).phase().toString());
    }

    /** Says each call and its outcome. */
    private OpenShellRunner saying(OpenShellRunner runner) {
        return (argv, options) -> {
            say("argv", String.join(" ", argv.asList()));
            OpenShellRunOutcome outcome = runner.run(argv, options);
            say("exit", outcome.exitCode() + " after " + outcome.elapsed().toMillis() + " ms");
            say("stdout", start(outcome.stdout().text()));
            say("stderr", start(outcome.stderr().text()));
            return outcome;
        };
    }

    private static String start(String text) {
        List<String> lines = text.strip().lines().toList();
        return String.join("\n", lines.subList(0, Math.min(lines.size(), SHOWN)))
                + (lines.size() > SHOWN ? "\n... and " + (lines.size() - SHOWN) + " lines more" : "");
    }

    private void say(String what, String text) {
        out.printf("%-7s %s%n", what, text);
    }
}
