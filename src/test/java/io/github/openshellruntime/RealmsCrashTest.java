// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import example.StandIn;
import io.github.openshellruntime.OpenShellArgv.Verb;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A dispatcher whose JVM is killed, over the stand-in CLI: whatever it was at, one reap of its next life clears it up. */
@DisplayName("Realms after a crash")
class RealmsCrashTest {

    private static final SessionId OLD = SessionId.of("old");
    private static final SessionId A = SessionId.of("a");
    private static final SessionId OTHERS = SessionId.of("others");

    /** The calls of {@link Dispatcher}: reap, open, exec and close. */
    private static final List<Verb> CALLS = List.of(Verb.LIST, Verb.GET, Verb.DELETE, Verb.GET, Verb.LIST,
            Verb.GET, Verb.CREATE, Verb.GET, Verb.EXEC, Verb.EXEC, Verb.GET, Verb.DELETE, Verb.GET);

    @TempDir
    private Path home;
    private StandIn standIn;
    private int first;

    @BeforeEach
    void install() throws Exception {
        standIn = StandIn.install(home);
        realms(home, "d-2").open(OTHERS);
    }

    private static Realms realms(Path home, String owner) {
        RuntimeConfig config = RuntimeConfig.builder(List.of("/usr/bin/agent")).owner(owner)
                .createTimeout(Duration.ofSeconds(60)).build();
        OpenShellCli cli = OpenShellCli.unverified(home.resolve("bin/openshell"),
                OpenShellEnvironment.select(Map.of("HOME", home.toString(), "PATH", "/usr/bin:/bin")));
        return Realms.of(OpenShellRunner.of(cli), config, home.resolve("policies-" + owner));
    }

    /** One life: it clears up, and runs one session. */
    static final class Dispatcher {

        private Dispatcher() {
        }

        public static void main(String[] args) throws InterruptedException {
            Realms realms = realms(Path.of(args[0]), "d-1");
            realms.reap(session -> false);
            realms.open(A);
            realms.exec(A, List.of("true"));
            realms.close(A);
        }
    }

    private Process dispatcher() throws Exception {
        return new ProcessBuilder(ChildJvm.command(List.of("-XX:TieredStopAtLevel=1"), Dispatcher.class, home.toString()))
                .redirectError(ProcessBuilder.Redirect.INHERIT).redirectOutput(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** What is there when a dispatcher is killed before one of its calls does anything. */
    private static List<String> leftAt(int call) {
        String left = call <= CALLS.indexOf(Verb.DELETE) + 1 ? "realm-old"
                : call > CALLS.indexOf(Verb.CREATE) + 1 && call <= CALLS.lastIndexOf(Verb.DELETE) + 1 ? "realm-a" : "";
        return Stream.of(left, "realm-others").filter(name -> !name.isEmpty()).sorted().toList();
    }

    private void assertOneReapClears(String when) throws Exception {
        ReapReport report = realms(home, "d-1").reap(session -> false);

        assertThat(report.complete()).as(when).isTrue();
        assertThat(report.failed()).as(when).isEmpty();
        assertThat(report.directory()).as(when).isEmpty();
        assertThat(standIn.sandboxes()).as(when).containsExactly(OTHERS.sandboxName());
        assertThat(home.resolve("policies-d-1")).as(when).isEmptyDirectory();
        assertThat(realms(home, "d-2").state(OTHERS).phase()).isEqualTo(SandboxPhase.READY);
        assertThat(home.resolve("policies-d-2/realm-others.policy.json")).exists();
    }

    @Test
    @DisplayName("not killed, it makes these calls and leaves nothing")
    void life_withoutACrash() throws Exception {
        realms(home, "d-1").open(OLD);
        int before = standIn.calls().size();
        assertThat(dispatcher().waitFor()).isZero();

        assertThat(standIn.calls().stream().skip(before).map(call -> call.argv().get(2).toUpperCase(Locale.ROOT)))
                .isEqualTo(CALLS.stream().map(Verb::name).toList());
        assertThat(standIn.sandboxes()).containsExactly(OTHERS.sandboxName());
    }

    @Test
    @DisplayName("RT-03, RT-07 killed at any call of reap, open, exec or close, before the call does anything")
    void killed_withItsCall() throws Exception {
        for (int call = 1; call <= CALLS.size(); call++) {
            Process dispatcher = startAndHold(call);
            List<ProcessHandle> tree = dispatcher.descendants().toList();
            dispatcher.destroyForcibly();
            tree.forEach(ProcessHandle::destroyForcibly);
            assertThat(dispatcher.waitFor(20, TimeUnit.SECONDS)).isTrue();
            standIn.unset("hold-" + number(call));
            assertThat(standIn.sandboxes()).isEqualTo(leftAt(call));
            assertOneReapClears("killed before call " + call + ", " + CALLS.get(call - 1));
        }
    }

    @Test
    @DisplayName("RT-03, RT-07 killed while a create or a delete goes on to its end without it")
    void killed_whileItsCallGoesOn() throws Exception {
        for (int call = 1; call <= CALLS.size(); call++) {
            if (CALLS.get(call - 1) == Verb.CREATE || CALLS.get(call - 1) == Verb.DELETE) {
                Process dispatcher = startAndHold(call);
                dispatcher.destroyForcibly();
                assertThat(dispatcher.waitFor(20, TimeUnit.SECONDS)).isTrue();
                int number = number(call);
                standIn.unset("hold-" + number);
                Await.until("the end of the call", () -> standIn.has(number, "done"));
                assertThat(standIn.sandboxes()).isEqualTo(leftAt(call + 1));
                assertOneReapClears("killed at call " + call + ", " + CALLS.get(call - 1) + ", which went on");
            }
        }
    }

    private int number(int call) {
        return first + call - 1;
    }

    /** Starts a dispatcher that finds the realm of an earlier life, and waits until it is at one of its calls. */
    private Process startAndHold(int call) throws Exception {
        realms(home, "d-1").open(OLD);
        first = standIn.calls().size() + 1;
        int held = number(call);
        standIn.set("hold-" + held, "");
        Process dispatcher = dispatcher();
        Await.until("call " + call, () -> standIn.has(held, "held"));
        return dispatcher;
    }
}
