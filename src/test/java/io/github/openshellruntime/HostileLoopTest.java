// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A seeded loop over everything that the stand-in can do. What is expected comes from the seed, never from the child.
 * {@code -Dhostile.runs=2000} makes all runs; without it a tenth is made, and the title of the build's output says so.
 */
@DisplayName("Hostile loop")
@Timeout(600)
class HostileLoopTest {

    private static final int ALL = 2_000;
    private static final int EACH = 50;
    private static final int RUNS = Integer.getInteger("hostile.runs", ALL / 10);
    private static final int AT_ONCE = 64;
    private static final long SEED = 6_2026;
    private static final int BOUND = CapturedOutput.MAX_BYTES;

    private enum Behaviour {
        WRITE, BOTH, FLOOD, CUT_CHARACTER, CLOSE_OUT, CLOSE_BOTH, SIGNAL, CHILD_HOLDS, DAEMON_HOLDS, CHATTER, SLOW_START, DISCARD,
        DEAF, HANG, SETSID, DAEMON_AT_DEADLINE, CLOSED_DAEMON, STORM, INTERRUPT
    }

    private static final List<Behaviour> TIMED_OUT = List.of(Behaviour.DEAF, Behaviour.HANG, Behaviour.SETSID,
            Behaviour.DAEMON_AT_DEADLINE, Behaviour.CLOSED_DAEMON, Behaviour.STORM);

    /** What one run does, and what must come of it. Streams are what they start with when {@code more} may follow. */
    private record Plan(Behaviour behaviour, List<String> operations, int exitCode, byte[] out, byte[] err, boolean more) {

        @Override
        public String toString() {
            return behaviour + " " + operations;
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Plan plan(Behaviour behaviour, Random random) {
        List<String> operations = new ArrayList<>();
        String letter = Character.toString('a' + random.nextInt(26));
        int chunk = 1 + random.nextInt(4_096);
        int size = random.nextInt(chunk < 100 ? 2_000 : 100_000);
        int exit = random.nextInt(256);
        byte[] none = {};
        switch (behaviour) {
            case WRITE, SLOW_START -> {
                boolean toErr = random.nextBoolean();
                if (behaviour == Behaviour.SLOW_START) {
                    operations.addAll(List.of("sleep", "0.0" + random.nextInt(10)));
                }
                operations.addAll(List.of(toErr ? "err" : "out", letter, "" + size, "" + chunk, "exit", "" + exit));
                byte[] written = bytes(letter.repeat(size));
                return new Plan(behaviour, operations, exit, toErr ? none : written, toErr ? written : none, false);
            }
            case BOTH, DISCARD -> {
                operations.addAll(List.of("both", letter, "" + size, "" + chunk, "exit", "" + exit));
                byte[] written = behaviour == Behaviour.DISCARD ? none : bytes(letter.repeat(size));
                return new Plan(behaviour, operations, exit, written, written, false);
            }
            case FLOOD -> {
                int flood = BOUND + 1 + random.nextInt(200_000);
                operations.addAll(List.of("out", letter, "" + flood, "" + (4_096 + random.nextInt(60_000)), "exit", "" + exit));
                return new Plan(behaviour, operations, exit, bytes(letter.repeat(flood)), none, false);
            }
            case CUT_CHARACTER -> {
                int before = BOUND - random.nextInt(4);
                operations.addAll(List.of("out", letter, "" + before, "65536", "raw", "\\0360\\0237\\0230\\0200", "exit", "" + exit));
                return new Plan(behaviour, operations, exit, bytes(letter.repeat(before) + "\ud83d\ude00"), none, false);
            }
            case CLOSE_OUT, CLOSE_BOTH -> {
                operations.addAll(List.of("raw", letter, "close-out"));
                operations.addAll(behaviour == Behaviour.CLOSE_BOTH ? List.of("close-err") : List.of("raw-err", letter));
                operations.addAll(List.of("sleep", "0.05", "exit", "" + exit));
                return new Plan(behaviour, operations, exit, bytes(letter),
                        behaviour == Behaviour.CLOSE_BOTH ? none : bytes(letter), false);
            }
            case SIGNAL -> {
                // Not HUP: under nohup a shell cannot take it.
                String[] names = {"KILL", "TERM", "USR1"};
                int[] numbers = {9, 15, 10};
                int which = random.nextInt(3);
                operations.addAll(List.of("raw", letter, "signal", names[which]));
                return new Plan(behaviour, operations, 128 + numbers[which], bytes(letter), none, false);
            }
            case CHILD_HOLDS, DAEMON_HOLDS -> {
                operations.addAll(List.of(behaviour == Behaviour.CHILD_HOLDS ? "child" : "daemon", "4", "out", letter, "" + size,
                        "" + chunk, "exit", "" + exit));
                return new Plan(behaviour, operations, exit, bytes(letter.repeat(size)), none, false);
            }
            case CHATTER -> {
                operations.addAll(List.of("raw", letter, "raw-err", letter, "chatty-daemon", "1", "exit", "" + exit));
                return new Plan(behaviour, operations, exit, bytes(letter), bytes(letter), true);
            }
            default -> {
                operations.addAll(List.of("raw", letter, "raw-err", letter + letter));
                operations.addAll(switch (behaviour) {
                    case DEAF -> List.of("ignore-term", "child", "30", "sleep", "30");
                    case HANG -> List.of("child", "30", "sleep", "30");
                    case SETSID -> List.of("setsid-child", "30", "sleep", "30");
                    case DAEMON_AT_DEADLINE -> List.of("daemon", "30", "sleep", "30");
                    case CLOSED_DAEMON -> List.of("daemon-closed", "6", "sleep", "30");
                    // Counted in whole seconds, so it ends up to one earlier: well behind the longest deadline.
                    case STORM -> List.of("storm", "8");
                    default -> List.of("sleep", "30");
                });
                return new Plan(behaviour, operations, -1, bytes(letter), bytes(letter + letter), false);
            }
        }
    }

    private static void run(Plan plan, Duration deadline, Duration overrun) throws Exception {
        OpenShellArgv argv = HostileCli.argv(plan.operations().toArray(String[]::new));
        if (plan.behaviour() == Behaviour.INTERRUPT) {
            runInterrupted(argv, plan);
        } else if (TIMED_OUT.contains(plan.behaviour())) {
            runToTheDeadline(argv, plan, deadline, overrun);
        } else {
            OpenShellRunOptions options = plan.behaviour() == Behaviour.DISCARD
                    ? OpenShellRunOptions.discarding(Duration.ofSeconds(60)) : OpenShellRunOptions.capturing(Duration.ofSeconds(60));
            OpenShellRunOutcome outcome = HostileCli.RUNNER.run(argv, options);
            assertThat(outcome.exitCode()).as(plan.toString()).isEqualTo(plan.exitCode());
            assertStream(outcome.stdout(), plan.out(), plan);
            assertStream(outcome.stderr(), plan.err(), plan);
        }
    }

    private static void assertStream(CapturedOutput seen, byte[] written, Plan plan) {
        byte[] kept = Arrays.copyOf(written, Math.min(written.length, BOUND));
        if (plan.more()) {
            String rest = seen.text().substring(written.length);
            assertThat(Arrays.copyOf(seen.bytes(), written.length)).as(plan.toString()).isEqualTo(written);
            assertThat("chatter\n".repeat(rest.length() / 8 + 1)).as(plan.toString()).startsWith(rest);
            return;
        }
        assertThat(seen.bytes()).as(plan.toString()).isEqualTo(kept);
        assertThat(seen.totalBytes()).as(plan.toString()).isEqualTo(written.length);
        assertThat(seen.truncated()).as(plan.toString()).isEqualTo(written.length > BOUND);
        if (plan.behaviour() == Behaviour.CUT_CHARACTER) {
            String whole = new String(written, StandardCharsets.UTF_8);
            assertThat(seen.text()).isEqualTo(written.length > BOUND ? whole.substring(0, whole.length() - 2) : whole);
        }
    }

    private static void runToTheDeadline(OpenShellArgv argv, Plan plan, Duration deadline, Duration overrun) throws Exception {
        try {
            throw new AssertionError(plan + " ended: " + HostileCli.RUNNER.run(argv, OpenShellRunOptions.capturing(deadline)));
        } catch (OpenShellRunnerError e) {
            assertThat(e.reason()).as(plan.toString()).isEqualTo(OpenShellRunnerError.Reason.DEADLINE);
            assertThat(e.elapsed()).as(plan.toString()).isBetween(deadline, deadline.plus(overrun));
            assertThat(e.stdout().bytes()).as(plan.toString()).isEqualTo(plan.out());
            // A shell may say on stderr that it was terminated.
            assertThat(e.stderr().text()).as(plan.toString()).startsWith(new String(plan.err(), StandardCharsets.UTF_8));
        }
    }

    private static void runInterrupted(OpenShellArgv argv, Plan plan) throws Exception {
        Thread caller = Thread.currentThread();
        Thread interrupter = new Thread(() -> {
            try {
                TimeUnit.MILLISECONDS.sleep(plan.out()[0] % 30);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            caller.interrupt();
        });
        interrupter.start();
        try {
            throw new AssertionError(plan + " ended: "
                    + HostileCli.RUNNER.run(argv, OpenShellRunOptions.capturing(Duration.ofSeconds(60))));
        } catch (InterruptedException e) {
            interrupter.join();
            assertThat(Thread.interrupted()).isFalse();
        }
    }

    /** The plans of a share of the runs: each behaviour as often as the others. */
    private static List<Plan> plans(int runs, long seed) {
        Random random = new Random(seed);
        List<Plan> plans = new ArrayList<>();
        for (int i = 0; i < runs; i++) {
            plans.add(plan(Behaviour.values()[i % Behaviour.values().length], random));
        }
        Collections.shuffle(plans, random);
        return plans;
    }

    @Test
    @DisplayName("R20 to R43, one after the other and 64 at once: each outcome is what the seed says, and nothing is left behind")
    void outcomes_areAsTheSeedSays() throws Exception {
        int share = RUNS / 2;
        System.out.println("hostile loop: " + RUNS + " of " + ALL + " runs, seed " + SEED);
        // What the JDK loads and starts once is not counted.
        run(plan(Behaviour.HANG, new Random(0)), Duration.ofMillis(300), Duration.ofSeconds(2));
        long threads = Processes.threads();
        long descriptors = Processes.descriptors();
        Map<Behaviour, Integer> counts = new EnumMap<>(Behaviour.class);

        for (Plan plan : plans(share, SEED)) {
            run(plan, Duration.ofMillis(300), Duration.ofSeconds(1));
            counts.merge(plan.behaviour(), 1, Integer::sum);
        }
        ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE);
        try {
            List<Future<Plan>> running = new ArrayList<>();
            for (Plan plan : plans(RUNS - share, SEED + 1)) {
                running.add(pool.submit(() -> {
                    // With 64 shells on two cores even a start takes its time.
                    run(plan, Duration.ofSeconds(4), Duration.ofSeconds(20));
                    return plan;
                }));
            }
            for (Future<Plan> run : running) {
                counts.merge(run.get().behaviour(), 1, Integer::sum);
            }
        } finally {
            pool.shutdownNow();
            assertThat(pool.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        }

        assertThat(counts.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(RUNS);
        for (Behaviour behaviour : Behaviour.values()) {
            assertThat(counts.getOrDefault(behaviour, 0)).as(behaviour.name()).isGreaterThanOrEqualTo(EACH * RUNS / ALL);
        }
        Await.until("the threads of before", () -> Processes.threads() <= threads);
        Await.until("the descriptors of before", () -> Processes.descriptors() <= descriptors);
        Await.until("no child", () -> Processes.children() == 0);
    }

    @Test
    @DisplayName("R29 64 runs that flood both streams at once fit a heap of 64 MB")
    void floods_fitASmallHeap() throws Exception {
        ChildJvm.Result child = ChildJvm.with(List.of("-Xmx64m"), Floods.class);

        assertThat(child.output()).isEqualTo("64 whole\n");
    }

    /** Floods both streams of 64 runs at once. */
    static final class Floods {

        private Floods() {
        }

        public static void main(String[] args) throws Exception {
            ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE);
            List<Future<OpenShellRunOutcome>> runs = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                runs.add(pool.submit(() -> HostileCli.capture("both", "f", "1048576", "65536", "exit", "4")));
            }
            int whole = 0;
            for (Future<OpenShellRunOutcome> run : runs) {
                OpenShellRunOutcome outcome = run.get();
                if (outcome.exitCode() == 4 && outcome.stdout().totalBytes() == 1_048_576
                        && outcome.stderr().totalBytes() == 1_048_576 && outcome.stdout().bytes().length == BOUND) {
                    whole++;
                }
            }
            pool.shutdown();
            System.out.println(whole + " whole");
        }
    }
}
