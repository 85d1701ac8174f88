// SPDX-License-Identifier: Apache-2.0
package example;

import io.github.openshellruntime.OpenShellArgv.Verb;
import io.github.openshellruntime.OpenShellCli;
import io.github.openshellruntime.OpenShellRunOutcome;
import io.github.openshellruntime.OpenShellRunner;
import io.github.openshellruntime.Realms;
import io.github.openshellruntime.RuntimeConfig;
import io.github.openshellruntime.RuntimeConfigLoader;
import io.github.openshellruntime.SessionId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;

/** The code of the README, compiled: {@link ReadmeTest} compares the two. */
final class ReadmeExample {

    private ReadmeExample() {
    }

    static void life() throws InterruptedException {
        // README life
        RuntimeConfig config = RuntimeConfigLoader.standard().load(Path.of("/etc/dispatcher/runtime.json"));
        OpenShellRunner runner = OpenShellRunner.of(OpenShellCli.verify(config, System.getenv()));
        Realms realms = Realms.of(runner, config, config.policyDir().orElse(Path.of("/var/lib/dispatcher/policies")));
        SessionId session = SessionId.derive("123e4567-e89b-12d3-a456-426614174000");
        realms.open(session);
        try {
            OpenShellRunOutcome outcome = realms.exec(session, List.of("/usr/bin/id"));
            System.out.println(outcome.exitCode() + " " + outcome.stdout().text());
        } finally {
            realms.close(session);
        }
        // README end
    }

    static OpenShellRunner measured(OpenShellRunner runner, BiConsumer<Verb, Duration> metrics) {
        // README metrics
        OpenShellRunner measured = (argv, options) -> {
            OpenShellRunOutcome outcome = runner.run(argv, options);
            metrics.accept(argv.verb(), outcome.elapsed());
            return outcome;
        };
        // README end
        return measured;
    }
}
