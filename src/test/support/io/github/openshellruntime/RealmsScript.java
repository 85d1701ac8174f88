// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.openshellruntime.MisbehavingGateway.Call;
import io.github.openshellruntime.OpenShellArgv.Verb;
import io.github.openshellruntime.RealmException.Reason;
import io.github.openshellruntime.RealmException.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** What the tests of realms share: a gateway in memory, a clock that nobody waits for, and replies to put between. */
abstract class RealmsScript {

    static final SessionId A = SessionId.of("a");
    static final SessionId B = SessionId.of("b");
    static final Map<String, String> OURS = Map.of("managed-by", "openshell-runtime", "owner", "d-1");
    static final Map<String, String> THEIRS = Map.of("managed-by", "openshell-runtime", "owner", "d-2");
    static final Duration CREATE_TIMEOUT = Duration.ofSeconds(100);
    static final RuntimeConfig CONFIG = RuntimeConfig.builder(List.of("/usr/bin/agent", "--serve"))
            .egressAllow(List.of("api.example.com")).owner("d-1").createTimeout(CREATE_TIMEOUT)
            .execTimeout(Duration.ofSeconds(7)).build();

    static final String ALREADY_EXISTS = "Error:   × sandbox 'realm-a' already\n  │ exists\n";

    /** What a call is answered instead of what the gateway has to say. */
    interface Reply {
        OpenShellRunOutcome to(OpenShellArgv argv, OpenShellRunOptions options) throws InterruptedException;
    }

    @TempDir
    Path home;
    Path directory;
    final MisbehavingGateway gateway = new MisbehavingGateway();
    final Map<Verb, Queue<Reply>> replies = new EnumMap<>(Verb.class);
    final Map<Verb, Reply> always = new EnumMap<>(Verb.class);
    /** Every call that was made, those that the gateway never saw included. */
    final List<Call> calls = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void prepare() {
        directory = home.resolve("policies");
    }

    @AfterEach
    void nothingOfOthersIsDeleted() {
        // JUnit goes on with this thread.
        Thread.interrupted();
        assertThat(gateway.violations()).isEmpty();
    }

    Realms realms() {
        return realms(CONFIG);
    }

    Realms realms(RuntimeConfig config) {
        OpenShellRunner over = gateway.runner(config);
        return Realms.of((argv, options) -> {
            calls.add(new Call(argv, options));
            Reply next = replies.getOrDefault(argv.verb(), new ArrayDeque<>()).poll();
            Reply reply = next != null ? next : always.getOrDefault(argv.verb(), over::run);
            return reply.to(argv, options);
        }, config, directory, SandboxProfile.standard(), gateway.clock);
    }

    /** Answers the next calls of a verb. */
    void instead(Verb verb, Reply... next) {
        replies.computeIfAbsent(verb, any -> new ArrayDeque<>()).addAll(List.of(next));
    }

    /** Answers every call of a verb that comes after those. */
    void insteadAlways(Verb verb, Reply reply) {
        always.put(verb, reply);
    }

    /** Lets the gateway answer the next call of a verb. */
    Reply asUsual() {
        return (argv, options) -> gateway.runner(CONFIG).run(argv, options);
    }

    static Reply exit(int code, String stderr) {
        return (argv, options) -> MisbehavingGateway.answer(code, "", stderr);
    }

    static Reply fails() {
        return (argv, options) -> MisbehavingGateway.TRANSPORT_ERROR;
    }

    static Reply throwing(RuntimeException exception) {
        return (argv, options) -> {
            throw exception;
        };
    }

    static OpenShellRunOutcome sneak(Throwable unchecked) {
        if (unchecked instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) unchecked;
    }

    static Reply interrupted() {
        return (argv, options) -> {
            throw new InterruptedException("killed");
        };
    }

    Reply timesOut() {
        return (argv, options) -> {
            gateway.clock.pass(options.deadline());
            throw timedOut();
        };
    }

    Reply taking(Duration time, Reply then) {
        return (argv, options) -> {
            gateway.clock.pass(time);
            return then.to(argv, options);
        };
    }

    static OpenShellRunnerError timedOut() {
        return OpenShellRunnerError.timedOut(Duration.ofSeconds(1), CapturedOutput.EMPTY, CapturedOutput.EMPTY);
    }

    static Reply state(String phase, Map<String, String> labels) {
        String members = String.join(", ", labels.entrySet().stream()
                .map(label -> "\"" + label.getKey() + "\": \"" + label.getValue() + "\"").sorted().toList());
        return (argv, options) -> MisbehavingGateway.answer(0, "{\"phase\": \"" + phase + "\", \"labels\": {" + members
                + "}}\n", "");
    }

    List<String> words() {
        return calls.stream().map(Call::toString).toList();
    }

    List<Duration> deadlines(Verb verb) {
        return calls.stream().filter(call -> call.verb() == verb).map(call -> call.options().deadline()).toList();
    }

    Path file(SessionId session) {
        return directory.resolve(session.sandboxName() + ".policy.json");
    }

    Path putFile(SessionId session) throws IOException {
        Files.createDirectories(directory,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        return Files.writeString(file(session), "an older policy");
    }

    List<String> files() throws IOException {
        if (!Files.exists(directory)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    RealmException openFails() {
        return catchThrowableOfType(RealmException.class, () -> realms().open(A));
    }

    RealmException closeFails() {
        return catchThrowableOfType(RealmException.class, () -> realms().close(A));
    }

    static void assertFailure(RealmException failure, Step step, Reason reason, boolean leftBehind) {
        assertThat(failure).isNotNull();
        assertThat(failure.session()).isEqualTo(A);
        assertThat(failure.step() + " " + failure.reason() + " " + failure.leftBehind()).as(failure.getMessage())
                .isEqualTo(step + " " + reason + " " + leftBehind);
        assertThat(failure).hasMessageContaining("realm-a").hasMessageContaining(reason.name())
                .hasMessageNotContaining("Connection refused");
        // What failed to be cleared up is told, and nothing else is suppressed.
        assertThat(failure.getSuppressed().length > 0).isEqualTo(leftBehind && step != Step.CLOSE);
    }

    static Reply page(String names, String token) {
        return (argv, options) -> MisbehavingGateway.answer(0, names, token.isEmpty() ? "" : "Next page token: " + token
                + "\n");
    }
}
