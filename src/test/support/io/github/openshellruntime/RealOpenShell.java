// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The real CLI 0.0.111, and a stand-in gateway that it talks to. {@code -Dopenshell.cli} and {@code -Dopenshell.python} name
 * what {@code .ci/openshell/install} has installed; without them the suite fails.
 */
final class RealOpenShell {

    private final Path home;
    private final Process gateway;
    private final int port;

    private RealOpenShell(Path home, Process gateway, int port) {
        this.home = home;
        this.gateway = gateway;
        this.port = port;
    }

    static Path executable() {
        return Path.of(property("openshell.cli"));
    }

    static Path python() {
        return Path.of(property("openshell.python"));
    }

    private static String property(String name) {
        String value = System.getProperty(name);
        assertThat(value).as("-D" + name + " names what .ci/openshell/install has installed").isNotBlank();
        return value;
    }

    /** Starts a gateway on a free port and registers it with a CLI whose home is {@code home}. */
    static RealOpenShell start(Path home, String... switches) throws Exception {
        List<String> command = new ArrayList<>(List.of(python().toString(), ".ci/openshell/gateway.py", "--requests",
                home.resolve("requests.jsonl").toString(), "--seconds", "300"));
        command.addAll(List.of(switches));
        Process gateway = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        int port = Integer.parseInt(gateway.inputReader().readLine());
        RealOpenShell started = new RealOpenShell(home, gateway, port);
        started.register("local", port);
        return started;
    }

    void register(String name, int atPort) throws Exception {
        ChildJvm.Result added = ChildJvm.run(List.of(executable().toString(), "gateway", "add", "http://127.0.0.1:" + atPort,
                "--local", "--name", name), Map.of("HOME", home.toString()));
        assertThat(added.exitCode()).as(added.output()).isZero();
    }

    int port() {
        return port;
    }

    /** The host that a dispatcher sees. */
    Map<String, String> host() {
        return Map.of("HOME", home.toString(), "PATH", "/usr/bin:/bin");
    }

    OpenShellRunner runner() {
        return runner(OpenShellEnvironment.select(host()));
    }

    static OpenShellRunner runner(OpenShellEnvironment environment) {
        // Too old for verify, which is what the fourth part of the suite shows.
        return OpenShellRunner.of(OpenShellCli.unverified(executable(), environment));
    }

    OpenShellRunOutcome run(OpenShellArgv argv) throws InterruptedException {
        return runner().run(argv, OpenShellRunOptions.capturing(Duration.ofSeconds(30)));
    }

    /** Writes and creates as a dispatcher does. */
    OpenShellRunOutcome create(SessionId session, RuntimeConfig config) throws Exception {
        return run(OpenShellArgv.create(policy(session, config), config));
    }

    WrittenPolicy policy(SessionId session, RuntimeConfig config) throws Exception {
        return PolicyDocuments.write(home.resolve("policies"), session,
                PolicyDocuments.render(config.egressAllow(), config.workloadArgv().get(0)));
    }

    /** The exec form of 0.0.111, which does not know {@code --no-login-shell}. */
    static OpenShellArgv oldExec(SessionId session, String... command) {
        List<String> argv = new ArrayList<>(List.of("openshell", "sandbox", "exec", "--name", session.sandboxName(), "--no-tty", "--"));
        argv.addAll(List.of(command));
        return AnyArgv.of(argv);
    }

    /** The requests of a kind that the gateway has seen. */
    List<JsonNode> requests(String call) throws IOException {
        return Files.readAllLines(home.resolve("requests.jsonl")).stream().map(Cases::parse)
                .filter(line -> line.get("call").asText().equals(call)).map(line -> line.get("request")).toList();
    }

    String requestsAsText() throws IOException {
        return Files.readString(home.resolve("requests.jsonl"));
    }

    /** A document as a message gives it back: what is empty by default may be missing, and a lone port stands twice. */
    static Map<String, JsonNode> normalised(JsonNode policy) {
        Map<String, JsonNode> members = new HashMap<>();
        policy.properties().forEach(member -> {
            if (!member.getValue().isEmpty() || !member.getValue().isContainerNode()) {
                members.put(member.getKey().equals("filesystem") ? "filesystem_policy" : member.getKey(), member.getValue());
            }
        });
        return members;
    }

    static Path privateDirectory(Path parent, String name) throws IOException {
        return Files.createDirectory(parent.resolve(name),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    void stop() throws InterruptedException {
        gateway.destroy();
        assertThat(gateway.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }
}
