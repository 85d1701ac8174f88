// SPDX-License-Identifier: Apache-2.0
package example;

import io.github.openshellruntime.OpenShellArgv;
import io.github.openshellruntime.OpenShellCli;
import io.github.openshellruntime.OpenShellRunOptions;
import io.github.openshellruntime.OpenShellRunOutcome;
import io.github.openshellruntime.OpenShellRunner;
import io.github.openshellruntime.OpenShellRunnerError;
import io.github.openshellruntime.PolicyDocument;
import io.github.openshellruntime.PolicyDocuments;
import io.github.openshellruntime.RuntimeConfig;
import io.github.openshellruntime.RuntimeConfigLoader;
import io.github.openshellruntime.SandboxPhase;
import io.github.openshellruntime.SessionId;
import io.github.openshellruntime.WrittenPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The examples of the README: {@code ReadmeTest} compares them to the letter and runs them. */
final class ReadmeExample {

    private ReadmeExample() {
    }

    static OpenShellRunOutcome firstCommand(Path configFile, Path policyDirectory, String id, Map<String, String> host)
            throws IOException, InterruptedException {
        // README 1
        RuntimeConfig config = RuntimeConfigLoader.standard().load(configFile);
        OpenShellRunner runner = OpenShellRunner.of(OpenShellCli.verify(config, host));
        SessionId session = SessionId.derive(id);
        PolicyDocument document = PolicyDocuments.render(config.egressAllow(), config.workloadArgv().get(0));
        WrittenPolicy policy = PolicyDocuments.write(policyDirectory, session, document);
        OpenShellRunOutcome created = runner.run(OpenShellArgv.create(policy, config),
                OpenShellRunOptions.capturing(config.createTimeout()));
        if (created.exitCode() != 0) {
            throw new IllegalStateException(created.stderr().text());
        }
        return runner.run(OpenShellArgv.exec(session, List.of("/usr/bin/id")),
                OpenShellRunOptions.capturing(config.execTimeout()));
        // README end
    }

    private static void log(RuntimeException failure) {
        System.err.println(failure.getMessage());
    }

    // README 2
    /** Creates the realm; false when it did not get ready, and is gone again. */
    static boolean open(OpenShellRunner runner, WrittenPolicy policy, RuntimeConfig config) throws InterruptedException {
        OpenShellRunOptions call = OpenShellRunOptions.capturing(config.execTimeout());
        try {
            OpenShellRunOutcome created = runner.run(OpenShellArgv.create(policy, config),
                    OpenShellRunOptions.capturing(config.createTimeout()));
            OpenShellArgv get = OpenShellArgv.get(policy.session());
            if (created.exitCode() == 0 && SandboxPhase.of(runner.run(get, call)) == SandboxPhase.READY) {
                return true;
            }
        } catch (OpenShellRunnerError e) {
            log(e);
        }
        close(runner, policy.session(), config);
        return false;
    }

    /** Deletes the realm and waits until the gateway no longer knows it, which is when its name is free again. */
    static void close(OpenShellRunner runner, SessionId session, RuntimeConfig config) throws InterruptedException {
        OpenShellRunOptions call = OpenShellRunOptions.capturing(config.execTimeout());
        long end = System.nanoTime() + config.createTimeout().toNanos();
        do {
            runner.run(OpenShellArgv.delete(session), call);
            if (SandboxPhase.of(runner.run(OpenShellArgv.get(session), call)) == SandboxPhase.ABSENT) {
                return;
            }
            Thread.sleep(100);
        } while (System.nanoTime() - end < 0);
        throw new IllegalStateException(session.sandboxName() + " is still there");
    }
    // README end
}
