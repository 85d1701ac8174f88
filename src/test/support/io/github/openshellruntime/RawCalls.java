// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A script of calls, each in the form that a dispatcher uses, and what was answered: to be run over the gateway in memory,
 * over the stand-in CLI and over the real one, and compared.
 */
final class RawCalls {

    private static final OpenShellRunOptions CAPTURING = OpenShellRunOptions.capturing(Duration.ofSeconds(60));

    /** An answer, but for what is another one at each run: ids and times. */
    record Answer(String call, int exitCode, String stdout, String stderr) {
    }

    private final AnyOpenShell openShell;
    private final Path directory;
    private final List<Answer> answers = new ArrayList<>();

    private RawCalls(AnyOpenShell openShell, Path directory) {
        this.openShell = openShell;
        this.directory = directory;
    }

    /** The answers to the script. */
    static List<Answer> answers(AnyOpenShell openShell, Path directory) throws Exception {
        RawCalls calls = new RawCalls(openShell, directory);
        calls.absent();
        calls.created();
        calls.listed();
        calls.executed();
        calls.deleted();
        return calls.answers;
    }

    private static RuntimeConfig config(String owner, String... egressAllow) {
        RuntimeConfig.Builder builder = RuntimeConfig.builder(List.of("/usr/bin/agent", "-x", "--label", "no=label"))
                .egressAllow(List.of(egressAllow)).image("registry.example.com/team/agent:1");
        return owner.isEmpty() ? builder.build() : builder.owner(owner).build();
    }

    private void absent() throws Exception {
        run(OpenShellArgv.get(SessionId.of("a")));
        run(OpenShellArgv.exec(SessionId.of("abcdefghijklm"), List.of("true")));
        run(OpenShellArgv.list(config("")));
    }

    private void created() throws Exception {
        create("a", config("d-1", "example.com", "example.com:8443", "*.example.org:99", "a.example.com:1000"),
                SandboxProfile.standard());
        create("b", config("d-2"),
                SandboxProfile.standard().withUser(WorkloadUser.imageUser()).withReadable("/models", "/app"));
        create("abcdefghijklm", config("", "example.com"),
                SandboxProfile.standard().withUser(WorkloadUser.sandboxAccount()).withReadable("/var/log"));
        create("a", config("d-2"), SandboxProfile.standard());
        for (String id : List.of("a", "b", "abcdefghijklm")) {
            run(OpenShellArgv.get(SessionId.of(id)));
        }
        OpenShellArgv create = argv("c", config("d-1"), SandboxProfile.standard());
        Files.delete(directory.resolve("realm-c.policy.json"));
        run(create);
        run(OpenShellArgv.get(SessionId.of("c")));
    }

    private void listed() throws Exception {
        for (String owner : List.of("d-1", "d-2", "d-3", "")) {
            run(OpenShellArgv.list(config(owner)));
        }
    }

    private void executed() throws Exception {
        run(OpenShellArgv.exec(SessionId.of("a"), List.of("true")));
        run(OpenShellArgv.exec(SessionId.of("a"), AnyOpenShell.COMMAND));
        openShell.provisioning(2);
        for (String id : List.of("p", "provisioning2")) {
            create(id, config("d-1"), SandboxProfile.standard());
            for (int look = 0; look < 2; look++) {
                run(OpenShellArgv.exec(SessionId.of(id), List.of("true")));
                run(OpenShellArgv.get(SessionId.of(id)));
            }
            run(OpenShellArgv.exec(SessionId.of(id), List.of("true")));
            run(OpenShellArgv.get(SessionId.of(id)));
        }
        openShell.provisioning(0);
    }

    private void deleted() throws Exception {
        run(OpenShellArgv.delete(SessionId.of("a")));
        run(OpenShellArgv.get(SessionId.of("a")));
        run(OpenShellArgv.list(config("")));
        create("a", config("d-2"), SandboxProfile.standard());
        run(OpenShellArgv.get(SessionId.of("a")));
        run(OpenShellArgv.list(config("")));
    }

    private void create(String id, RuntimeConfig config, SandboxProfile profile) throws Exception {
        run(argv(id, config, profile));
    }

    private OpenShellArgv argv(String id, RuntimeConfig config, SandboxProfile profile) throws Exception {
        return OpenShellArgv.create(PolicyDocuments.write(directory, SessionId.of(id),
                PolicyDocuments.render(config.egressAllow(), config.workloadArgv().get(0), profile)), config);
    }

    private void run(OpenShellArgv argv) throws Exception {
        OpenShellRunOutcome outcome = openShell.runner().run(argv, CAPTURING);
        String stdout = outcome.stdout().text()
                .replaceFirst("\"id\": \"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\"", "\"id\": \"(an id)\"")
                .replaceFirst("_at\": \"\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\"", "_at\": \"(a time)\"")
                .replaceFirst("\\[\\d+\\.\\ds]", "[(a time)]");
        answers.add(new Answer(argv.toString(), outcome.exitCode(), stdout, outcome.stderr().text()));
    }
}
