// SPDX-License-Identifier: Apache-2.0
package example;

import io.github.openshellruntime.OpenShellArgv;
import io.github.openshellruntime.OpenShellCli;
import io.github.openshellruntime.OpenShellRunOptions;
import io.github.openshellruntime.OpenShellRunOutcome;
import io.github.openshellruntime.OpenShellRunner;
import io.github.openshellruntime.PolicyDocuments;
import io.github.openshellruntime.RuntimeConfig;
import io.github.openshellruntime.RuntimeConfigLoader;
import io.github.openshellruntime.SessionId;
import io.github.openshellruntime.WrittenPolicy;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A small dispatcher: loads a config, writes the policy, creates the realm, runs a command in it, deletes it, and prints
 * all of that. With {@code -Dopenshell.live=true} it uses the {@code openshell} on the {@code PATH} and the active gateway;
 * else a stand-in.
 */
public final class QuickStart {

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
        OpenShellCli cli = OpenShellCli.verify(config, host);
        say("cli", cli.version().orElseThrow() + " at " + cli.executable());
        OpenShellRunner runner = OpenShellRunner.of(cli);

        SessionId session = SessionId.derive(UUID.randomUUID().toString());
        WrittenPolicy policy = PolicyDocuments.write(policyDirectory, session,
                PolicyDocuments.render(config.egressAllow(), config.workloadArgv().get(0)));
        say("policy", policy.path() + " "
                + PosixFilePermissions.toString(Files.getPosixFilePermissions(policy.path())));
        out.print(Files.readString(policy.path()));
        try {
            OpenShellRunOutcome created = run(runner, OpenShellArgv.create(policy, config), config.createTimeout());
            if (created.exitCode() == 0) {
                run(runner, OpenShellArgv.exec(session, List.of("/bin/echo", "hello from", session.sandboxName())),
                        config.execTimeout());
            }
        } finally {
            // A create that failed may have left a sandbox behind, so the name is always deleted.
            run(runner, OpenShellArgv.delete(session), config.execTimeout());
            PolicyDocuments.remove(policy);
        }
    }

    private OpenShellRunOutcome run(OpenShellRunner runner, OpenShellArgv argv, Duration deadline)
            throws InterruptedException {
        say("argv", String.join(" ", argv.asList()));
        OpenShellRunOutcome outcome = runner.run(argv, OpenShellRunOptions.capturing(deadline));
        say("exit", outcome.exitCode() + " after " + outcome.elapsed().toMillis() + " ms");
        say("stdout", outcome.stdout().text().strip());
        say("stderr", outcome.stderr().text().strip());
        return outcome;
    }

    private void say(String what, String text) {
        out.printf("%-7s %s%n", what, text);
    }
}
