// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import example.StandIn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A dispatcher is killed by SIGKILL in the midst of a life, and another one finds and clears everything with one reap. */
@DisplayName("Realms: a dispatcher that is killed")
class RealmsCrashTest {

    private static final SessionId A = SessionId.of("a");

    @TempDir
    private Path home;
    private StandIn standIn;

    private static RuntimeConfig config(String owner) {
        return RuntimeConfig.builder(List.of("/usr/bin/agent")).owner(owner).createTimeout(Duration.ofSeconds(60)).build();
    }

    private static OpenShellRunner runner(Path home) {
        return OpenShellRunner.of(OpenShellCli.unverified(home.resolve("bin/openshell"),
                OpenShellEnvironment.select(Map.of("HOME", home.toString(), "PATH", "/usr/bin:/bin"))));
    }

    private static Realms realms(Path home, String owner) {
        return Realms.of(runner(home), config(owner), home.resolve("policies-" + owner));
    }

    @BeforeEach
    void another() throws Exception {
        standIn = StandIn.install(home);
        RuntimeConfig config = config("d-2");
        WrittenPolicy policy = PolicyDocuments.write(home.resolve("policies-d-2"), SessionId.of("other"),
                PolicyDocuments.render(config.egressAllow(), config.workloadArgv().get(0)));
        runner(home).run(OpenShellArgv.create(policy, config), OpenShellRunOptions.capturing(config.createTimeout()));
    }

    /** The dispatcher that is killed: one life, which stops before or behind a call that is given by its number. */
    static final class Dispatcher {

        public static void main(String[] args) throws Exception {
            Path home = Path.of(args[0]);
            int stop = Integer.parseInt(args[1]);
            String where = args[2];
            AtomicInteger calls = new AtomicInteger();
            OpenShellRunner over = runner(home);
            Realms realms = Realms.of((argv, options) -> {
                if (calls.incrementAndGet() == stop) {
                    stop(home, where, argv, args[3]);
                }
                return over.run(argv, options);
            }, config("d-1"), home.resolve("policies-d-1"));
            realms.open(A);
            realms.exec(A, List.of("true"));
            realms.close(A);
        }

        private static void stop(Path home, String where, OpenShellArgv argv, String seconds) throws InterruptedException {
            try {
                if (where.equals("between")) {
                    Files.writeString(home.resolve("stopped"), "");
                    Thread.sleep(Duration.ofMinutes(5).toMillis());
                }
                Files.writeString(home.resolve("standin").resolve(where + "-" + argv.verb().word()), seconds);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Starts a dispatcher and returns when it is in the midst of that call. */
    private Process dispatcher(int call, String where, String seconds) throws Exception {
        int before = standIn.calls().size();
        Process dispatcher = new ProcessBuilder(ChildJvm.command(List.of("-Xmx64m", "-XX:TieredStopAtLevel=1"),
                Dispatcher.class, home.toString(), "" + call, where, seconds)).redirectErrorStream(true)
                .redirectOutput(home.resolve("dispatcher.log").toFile()).start();
        Path made = home.resolve("standin/calls/" + (before + call));
        Path mark = switch (where) {
            case "between" -> home.resolve("stopped");
            // Written when the call has been read, and so before the script waits.
            case "before" -> made.resolve("stdin");
            default -> made.resolve("done");
        };
        Await.until(call + " " + where, () -> {
            assertThat(dispatcher.isAlive()).as(() -> read(home.resolve("dispatcher.log"))).isTrue();
            return Files.exists(mark);
        });
        return dispatcher;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (Exception e) {
            return e.toString();
        }
    }

    /** Kills a dispatcher, and returns the processes that it had started, which live on. */
    private static List<ProcessHandle> kill(Process dispatcher) throws Exception {
        List<ProcessHandle> children = dispatcher.descendants().toList();
        dispatcher.destroyForcibly();
        assertThat(dispatcher.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return children;
    }

    /** What the stand-in had stopped for, another dispatcher does not meet. */
    private void standInGoesOn() throws Exception {
        try (Stream<Path> settings = Files.list(home.resolve("standin"))) {
            for (Path setting : settings.toList()) {
                if (setting.getFileName().toString().matches("(before|after)-.*")) {
                    Files.delete(setting);
                }
            }
        }
    }

    private void oneReapClears() throws Exception {
        standInGoesOn();
        ReapReport report = realms(home, "d-1").reap(session -> false);

        assertThat(report.complete() && report.failed().isEmpty() && report.directory().isEmpty()).as("%s", report).isTrue();
        assertThat(standIn.sandboxes()).containsExactly("realm-other");
        assertThat(home.resolve("policies-d-1")).satisfiesAnyOf(directory -> assertThat(directory).doesNotExist(),
                directory -> assertThat(directory).isEmptyDirectory());
        assertThat(home.resolve("policies-d-2/realm-other.policy.json")).exists();
    }

    @ParameterizedTest(name = "call {0}, {1}")
    @CsvSource({
            "1, before, 0, 0",   // looks
            "2, between, 0, 1",  // the policy is written, nothing created
            "2, after, 1, 1",    // created, and nobody was told
            "3, before, 1, 1",   // waits until it is ready
            "4, before, 1, 1",   // proves
            "5, between, 1, 1",  // is in use
            "7, before, 1, 1",   // deletes
            "7, after, 0, 1",    // deleted, the policy not removed
            "8, before, 0, 1",   // looks whether it is gone
    })
    @DisplayName("RT-03 RT-07 a dispatcher that is killed with all of its processes leaves what one reap clears")
    void killedWithItsProcesses(int call, String where, int realms, int policies) throws Exception {
        for (ProcessHandle process : kill(dispatcher(call, where, "60"))) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            process.onExit().get(20, TimeUnit.SECONDS);
        }
        assertThat(standIn.sandboxes()).hasSize(1 + realms);
        assertThat(Files.exists(home.resolve("policies-d-1/realm-a.policy.json"))).isEqualTo(policies == 1);

        oneReapClears();
    }

    @Test
    @DisplayName("RT-03 a create that outlives its dispatcher makes a realm, which a reap finds")
    void createOutlivesItsDispatcher() throws Exception {
        for (ProcessHandle process : kill(dispatcher(2, "before", "1"))) {
            process.onExit().get(20, TimeUnit.SECONDS);
        }
        assertThat(standIn.sandboxes()).containsExactly("realm-a", "realm-other");

        oneReapClears();
    }
}
