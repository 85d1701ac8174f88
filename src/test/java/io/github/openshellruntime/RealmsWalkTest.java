// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.openshellruntime.MisbehavingGateway.Fault;
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
    private static final Map<String, String> STRANGERS = Map.of("managed-by", "somebody-else", "owner", "d-0");

    @TempDir
    private Path home;
    private final MisbehavingGateway gateway = new MisbehavingGateway().pageSize(3);
    private final ThreadLocal<Life> current = new ThreadLocal<>();
    private final Map<String, Integer> endings = new ConcurrentHashMap<>();

    /** One life: what befalls it, call by call. */
    private final class Life {

        private final Random random;
        private final int outageFrom;
        private int calls;
        private boolean late;

        Life(long seed) {
            // Seeds that are next to each other give streams that begin alike.
            random = new Random(seed * 0x9E3779B97F4A7C15L);
            outageFrom = random.nextInt(10) == 0 ? random.nextInt(12) : Integer.MAX_VALUE;
        }

        boolean happens(int oneIn) {
            return random.nextInt(oneIn) == 0;
        }

        Fault fault(OpenShellArgv argv, OpenShellRunOptions options) {
            if (argv.verb() == Verb.CREATE) {
                gateway.looksUntilReady(random.nextInt(4)).newPhase(happens(8) ? "Error" : "Ready")
                        .policySource(happens(20) ? "global" : "sandbox");
            }
            gateway.looksUntilGone(happens(40) ? 1_000 : random.nextInt(3));
            boolean outage = calls++ >= outageFrom;
            Fault fault = outage ? Fault.TRANSPORT_ERROR : happens(10) ? Fault.values()[random.nextInt(Fault.values()
                    .length)] : Fault.NONE;
            late |= fault.isLate() && argv.verb() == Verb.CREATE;
            return fault;
        }
    }

    /** A dispatcher, whose threads share its realms. */
    private final class Dispatcher {

        private final RuntimeConfig config;
        private final Path directory;
        private final Set<SessionId> registered = ConcurrentHashMap.newKeySet();
        private final Set<SessionId> used = ConcurrentHashMap.newKeySet();
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

        void live(long seed) throws Exception {
            Life life = new Life(seed);
            current.set(life);
            // What is left in the flag by the life before is over.
            Thread.interrupted();
            if (life.happens(10)) {
                reap();
                return;
            }
            // A session is for one life, and each dispatcher has its own, under the names that the others use.
            SessionId session = SessionId.of("s" + life.random.nextInt(LIVES));
            if (!used.add(session)) {
                session = SessionId.of("t" + seed % 1_000_000);
                used.add(session);
            }
            registered.add(session);
            try {
                if (open(session, life)) {
                    use(session, life);
                    close(session, life);
                }
            } finally {
                registered.remove(session);
            }
        }

        private boolean open(SessionId session, Life life) throws Exception {
            try {
                realms.open(session);
                count("opened");
                assertThat(gateway.madeBy(life)).as("the realm that was opened").hasSize(1);
                assertThat(file(session)).exists();
                return true;
            } catch (RealmException e) {
                count(e.step() + " " + e.reason() + (e.leftBehind() ? ", left behind" : ""));
                if (!e.leftBehind()) {
                    assertGone(session, life, e);
                } else if (life.happens(2)) {
                    close(session, life);
                }
            } catch (InterruptedException e) {
                count("open interrupted");
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
            assertThat(gateway.madeBy(life)).as("the realm in use").hasSize(1);
        }

        private void close(SessionId session, Life life) throws Exception {
            if (life.happens(10)) {
                Thread.currentThread().interrupt();
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
            }
        }

        private void reap() throws Exception {
            try {
                ReapReport report = realms.reap(registered::contains);
                count(report.complete() && report.failed().isEmpty() ? "reaped" : "reaped in part");
            } catch (OpenShellRunnerError e) {
                count("reap failed");
            } catch (InterruptedException e) {
                count("reap interrupted");
            }
        }

        private void assertGone(SessionId session, Life life, RealmException failure) {
            // What a create that was cut short makes afterwards is for reap.
            assertThat(life.late ? List.of() : gateway.madeBy(life)).as("what is left after %s", failure).isEmpty();
            if (failure == null || failure.step() != RealmException.Step.LOOK) {
                assertThat(file(session)).as("after %s", failure).doesNotExist();
            }
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
        gateway.put("realm-s1", "Ready", STRANGERS).put("realm-s2", "Error", STRANGERS).put("somebodys", "Ready", Map.of());

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
        assertThat(gateway.names()).containsExactly("realm-s1", "realm-s2", "somebodys");
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
        }
    }
}
