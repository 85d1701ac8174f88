// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.openshellruntime.MisbehavingGateway.Fault;
import io.github.openshellruntime.MisbehavingGateway.Sandbox;
import io.github.openshellruntime.OpenShellArgv.Verb;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A seeded random walk: lives of realms of several dispatchers, each on several threads, over one gateway that
 * misbehaves. The dispatchers give their sessions the same names. {@code -Drealms.lives=5000 -Drealms.seed=7} walks
 * farther and elsewhere; what each life meets comes from the seed, and how lives meet each other from the threads.
 */
@DisplayName("Realms: random walk")
@Timeout(600)
class RealmsWalkTest {

    private static final int LIVES = Integer.getInteger("realms.lives", 500);
    private static final long SEED = Long.getLong("realms.seed", 18_2026);
    private static final int DISPATCHERS = 3;
    private static final int THREADS_OF_EACH = 2;
    /** Sessions whose names all dispatchers use again and again. */
    private static final int HOT = 5;
    private static final Map<String, String> STRANGERS = Map.of("managed-by", "somebody-else", "owner", "d-1");

    @TempDir
    private Path home;
    private final MisbehavingGateway gateway = new MisbehavingGateway().pageSize(3);
    private final ThreadLocal<Life> current = new ThreadLocal<>();
    private final Map<String, Integer> endings = new ConcurrentHashMap<>();

    /** One life: what befalls it, call by call. */
    private final class Life {

        private final Random random;
        private final int outageFrom;
        private final List<String> trace = new ArrayList<>();
        private int calls;
        /** A create of this life was cut short, and goes on. */
        private boolean late;
        private boolean interrupted;
        /** Something went wrong with what the interrupted thread still did. */
        private boolean disturbed;

        Life(long seed) {
            // Seeds that are next to each other give streams that begin alike.
            random = new Random(seed * 0x9E3779B97F4A7C15L);
            outageFrom = random.nextInt(10) == 0 ? random.nextInt(12) : Integer.MAX_VALUE;
        }

        void begins() {
            interrupted = Thread.currentThread().isInterrupted();
            disturbed = false;
        }

        void interrupt() {
            Thread.currentThread().interrupt();
            interrupted = true;
        }

        boolean happens(int oneIn) {
            return random.nextInt(oneIn) == 0;
        }

        Fault fault(OpenShellArgv argv, OpenShellRunOptions options) {
            if (argv.verb() == Verb.CREATE) {
                gateway.looksUntilReady(random.nextInt(4)).newPhase(happens(8) ? "Error" : "Ready")
                        .policySource(happens(20) ? "global" : "sandbox");
                if (happens(8)) {
                    // Another dispatcher is faster, whichever it is: perhaps one of our own owner.
                    gateway.putIfAbsent(argv.session().orElseThrow().sandboxName(), "Ready",
                            Map.of("managed-by", "openshell-runtime", "owner", "d-" + (1 + random.nextInt(DISPATCHERS))));
                }
            }
            gateway.looksUntilGone(happens(40) ? 1_000 : random.nextInt(3));
            boolean outage = calls++ >= outageFrom;
            Fault fault = outage ? Fault.TRANSPORT_ERROR : happens(10) ? Fault.values()[random.nextInt(Fault.values()
                    .length)] : Fault.NONE;
            if (argv.verb() == Verb.CREATE && fault.name().startsWith("GARBAGE")) {
                // A create that says 0 where the name is taken would lie, and that is beyond every promise.
                fault = Fault.TRANSPORT_ERROR_DONE;
            }
            trace.add(argv.verb() + " " + fault);
            late |= fault.isLate() && argv.verb() == Verb.CREATE;
            disturbed |= interrupted && fault != Fault.NONE;
            interrupted |= fault.name().startsWith("INTERRUPTED");
            return fault;
        }
    }

    /** A dispatcher, whose threads share its realms. */
    private final class Dispatcher {

        private final RuntimeConfig config;
        private final Path directory;
        private final Set<SessionId> registered = ConcurrentHashMap.newKeySet();
        private final Realms realms;

        Dispatcher(int number) {
            config = RuntimeConfig.builder(List.of("/usr/bin/agent")).owner("d-" + number)
                    .createTimeout(Duration.ofSeconds(30))
                    .build();
            directory = home.resolve("policies-" + number);
            realms = Realms.of((argv, options) -> gateway.runner(config, current.get(), current.get()::fault).run(argv,
                    options),
                    config, directory, SandboxProfile.standard(), gateway.clock);
        }

        void live(long seed) {
            Life life = new Life(seed);
            current.set(life);
            // What is left in the flag by the life before is over.
            Thread.interrupted();
            if (life.happens(10)) {
                reap();
                return;
            }
            SessionId session = session(life, seed);
            try {
                if (open(session, life)) {
                    use(session, life);
                    close(session, life);
                } else if (life.happens(2)) {
                    // Whoever cannot open closes, which must spare what is another's by then.
                    close(session, life);
                }
            } finally {
                registered.remove(session);
            }
        }

        /** One that nobody of this dispatcher uses: a hot one, or one for this life alone. */
        private SessionId session(Life life, long seed) {
            SessionId hot = SessionId.of("s" + life.random.nextInt(HOT));
            if (life.happens(2) && registered.add(hot)) {
                return hot;
            }
            SessionId own = SessionId.of("t" + Long.toString(seed, 36));
            registered.add(own);
            return own;
        }

        private boolean open(SessionId session, Life life) {
            life.begins();
            try {
                realms.open(session);
                count("opened");
                assertThat(gateway.madeBy(life)).as("the realm that was opened, %s", life.trace).hasSize(1);
                assertThat(file(session)).exists();
                return true;
            } catch (RealmException e) {
                count(e.step() + " " + e.reason() + (e.leftBehind() ? ", left behind" : ""));
                if (!e.leftBehind()) {
                    assertGone(session, life, e);
                }
            } catch (InterruptedException e) {
                count("open interrupted");
                assertLastAttemptWasMade(life);
            }
            return false;
        }

        private void use(SessionId session, Life life) {
            try {
                realms.exec(session, List.of("/bin/x"));
                realms.state(session);
                realms.list();
            } catch (OpenShellRunnerError e) {
                count("use failed");
            } catch (InterruptedException e) {
                count("use interrupted");
            }
            assertThat(gateway.madeBy(life)).as("the realm in use, %s", life.trace).hasSize(1);
        }

        private void close(SessionId session, Life life) {
            life.begins();
            if (life.happens(10)) {
                life.interrupt();
            }
            try {
                realms.close(session);
                count("closed");
                assertGone(session, life, null);
            } catch (RealmException e) {
                count(e.step() + " " + e.reason());
                assertThat(e.leftBehind() || e.reason() == RealmException.Reason.NOT_OURS).as("%s", e).isTrue();
            } catch (InterruptedException e) {
                count("close interrupted");
                assertLastAttemptWasMade(life);
            }
        }

        private void reap() {
            try {
                // A hot session may be opened again while its older realm is closed, which reap does not promise to spare.
                ReapReport report = realms.reap(session -> session.value().startsWith("s") || registered.contains(session));
                count(report.complete() && report.failed().isEmpty() ? "reaped" : "reaped in part");
            } catch (OpenShellRunnerError e) {
                count("reap failed");
            } catch (InterruptedException e) {
                count("reap interrupted");
            }
        }

        private void assertGone(SessionId session, Life life, RealmException failure) {
            // What a create that was cut short makes afterwards is for reap.
            assertThat(life.late ? List.of() : gateway.madeBy(life)).as("what is left after %s, %s", failure, life.trace)
                    .isEmpty();
            boolean older = failure != null && (failure.step() == RealmException.Step.LOOK
                    || failure.created().filter(CliAnswer::saysAlreadyExists).isPresent());
            if (!older) {
                assertThat(file(session)).as("after %s", failure).doesNotExist();
            }
        }

        private void assertLastAttemptWasMade(Life life) {
            List<Sandbox> left = life.disturbed || life.late ? List.of() : gateway.madeBy(life);
            assertThat(left).as("after an interrupt, %s", life.trace).allMatch(sandbox -> sandbox.phase.equals("Deleting"));
        }

        private Path file(SessionId session) {
            return directory.resolve(session.sandboxName() + ".policy.json");
        }
    }

    private void count(String ending) {
        endings.merge(ending, 1, Integer::sum);
    }

    @Test
    @DisplayName("RT-03 RT-07 whatever befalls them, lives leave what they say, spare the others', and one reap"
            + " clears the rest")
    void lives() throws Exception {
        List<Dispatcher> dispatchers = new ArrayList<>();
        for (int number = 1; number <= DISPATCHERS; number++) {
            dispatchers.add(new Dispatcher(number));
        }
        gateway.put("realm-s0", "Ready", STRANGERS).put("realm-x", "Error", STRANGERS).put("somebodys", "Ready", Map.of());

        walk(dispatchers);

        gateway.settle();
        for (Dispatcher dispatcher : dispatchers) {
            Realms afterwards = Realms.of(gateway.runner(dispatcher.config), dispatcher.config, dispatcher.directory,
                    SandboxProfile.standard(), gateway.clock);
            ReapReport report = afterwards.reap(session -> false);
            assertThat(report.complete()).isTrue();
            assertThat(report.failed()).isEmpty();
            assertThat(dispatcher.directory).isEmptyDirectory();
        }
        assertThat(gateway.names()).containsExactly("realm-s0", "realm-x", "somebodys");
        assertThat(gateway.violations()).isEmpty();
        System.out.println("random walk of realms: " + LIVES + " lives, seed " + SEED + ", " + new TreeMap<>(endings));
    }

    private void walk(List<Dispatcher> dispatchers) throws Exception {
        AtomicInteger lives = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(DISPATCHERS * THREADS_OF_EACH);
        try {
            List<Future<?>> owners = new ArrayList<>();
            for (int owner = 0; owner < DISPATCHERS * THREADS_OF_EACH; owner++) {
                Dispatcher dispatcher = dispatchers.get(owner % DISPATCHERS);
                owners.add(threads.submit(() -> {
                    for (int life = lives.getAndIncrement(); life < LIVES; life = lives.getAndIncrement()) {
                        long seed = SEED * LIVES + life;
                        try {
                            dispatcher.live(seed);
                        } catch (Throwable e) {
                            throw new AssertionError("life " + life + " of seed " + SEED, e);
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> owner : owners) {
                owner.get();
            }
        } finally {
            threads.shutdownNow();
            assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        }
    }
}
