// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import example.StandIn;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many lives of realms in one JVM, over the stand-in CLI, on eight threads and with seeded faults. {@code -Dsoak.lives=3000}
 * makes all of them.
 */
@DisplayName("Soak")
@Timeout(3_600)
class SoakTest {

    private static final int LIVES = Integer.getInteger("soak.lives", 80);
    private static final int THREADS = 8;
    private static final long SEED = 12_2026;
    private static final int PERCENT = 100;
    /** What the JVM and the tests themselves may hold more at the end than after a quarter of the lives. */
    private static final long HEAP_MORE = 8 << 20;

    @TempDir
    private Path home;

    private RuntimeConfig config() {
        return RuntimeConfig.builder(List.of("/usr/bin/sleep", "infinity")).owner("soak").egressAllow(List.of("api.example.com"))
                .createTimeout(Duration.ofSeconds(20)).execTimeout(Duration.ofSeconds(20)).build();
    }

    /** Now and then a call is cut short, its outcome is lost or garbled, or its thread is interrupted. */
    private static OpenShellRunner faulty(OpenShellRunner runner, Random random) {
        return (argv, options) -> {
            switch (random.nextInt(PERCENT)) {
                case 0, 1 -> {
                    return runner.run(argv, OpenShellRunOptions.capturing(Duration.ofMillis(1 + random.nextInt(12))));
                }
                case 2 -> {
                    runner.run(argv, options);
                    throw OpenShellRunnerError.failed(OpenShellRunnerError.Reason.OUTPUT_FAILED);
                }
                case 3 -> {
                    OpenShellRunOutcome whole = runner.run(argv, options);
                    String half = whole.stdout().text().substring(whole.stdout().text().length() / 2);
                    return OpenShellRunOutcome.captured(whole.exitCode(), whole.elapsed(), CapturedOutput.ofText(half), whole.stderr());
                }
                case 4 -> {
                    return OpenShellRunOutcome.captured(1, Duration.ZERO, CapturedOutput.ofText(""),
                            CapturedOutput.ofText("Error:   × transport error\n"));
                }
                case 5 -> Thread.currentThread().interrupt();
                default -> {
                }
            }
            return runner.run(argv, options);
        };
    }

    private static String live(Realms realms, int life) {
        SessionId session = SessionId.derive("soak-" + life);
        String end = "closed";
        try {
            realms.open(session);
            try {
                realms.exec(session, List.of("/bin/echo", "hello"));
            } finally {
                realms.close(session);
            }
        } catch (RealmException e) {
            end = e.step() + " " + e.reason() + (e.leftBehind() ? ", left behind" : "");
        } catch (OpenShellRunnerError e) {
            end = "exec " + e.reason();
        } catch (InterruptedException e) {
            end = "interrupted";
        }
        // Of the next life, not of this one.
        return Thread.interrupted() ? end + ", flag set" : end;
    }

    private static long heap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Test
    @DisplayName("RT-03 RT-07 lives with faults leave no thread, descriptor, process, policy file or realm, and a flat heap")
    void lives_leaveNothing() throws Exception {
        StandIn standIn = StandIn.install(home);
        standIn.set("forget", "");
        OpenShellRunner runner = OpenShellRunner.of(OpenShellCli.verify(config(), standIn.host()));
        Path policies = home.resolve("policies");
        live(Realms.of(runner, config(), policies), -1);
        long threads = Processes.threads();
        long descriptors = Processes.descriptors();
        Map<String, Integer> ends = new TreeMap<>();
        long heapOfAQuarter = 0;

        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        try {
            for (int quarter = 0; quarter < 4; quarter++) {
                List<Future<String>> running = new ArrayList<>();
                for (int life = quarter; life < LIVES; life += 4) {
                    int number = life;
                    Realms realms = Realms.of(faulty(runner, new Random(SEED + life)), config(), policies);
                    running.add(pool.submit(() -> live(realms, number)));
                }
                for (Future<String> end : running) {
                    ends.merge(end.get(), 1, Integer::sum);
                }
                heapOfAQuarter = quarter == 0 ? heap() : heapOfAQuarter;
            }
        } finally {
            pool.shutdownNow();
        }
        long heap = heap();
        ReapReport reaped = Realms.of(runner, config(), policies).reap(session -> false);
        System.out.println("soak: " + LIVES + " lives, seed " + SEED + ", " + ends + ", reaped " + reaped.closed().size()
                + " realms and " + reaped.policiesRemoved().size() + " policies, heap " + (heapOfAQuarter >> 10) + " KiB after a"
                + " quarter and " + (heap >> 10) + " KiB at the end");

        assertThat(ends.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(LIVES);
        assertThat(reaped.complete()).isTrue();
        assertThat(reaped.failed()).isEmpty();
        assertThat(standIn.sandboxes()).isEmpty();
        assertThat(policies).isEmptyDirectory();
        assertThat(heap).isLessThan(heapOfAQuarter + HEAP_MORE);
        Await.until("the threads of before", () -> Processes.threads() <= threads);
        Await.until("the descriptors of before", () -> Processes.descriptors() <= descriptors);
        Await.until("no child", () -> Processes.children() == 0);
    }
}
