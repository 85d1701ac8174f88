// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.openshellruntime.OpenShellRunnerError.Reason;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** Runs called on virtual threads, which Java 17 has not and which this class reaches by reflection. */
@DisplayName("OpenShellRunner on virtual threads")
@EnabledForJreRange(min = JRE.JAVA_21)
@Timeout(120)
class VirtualThreadsTest {

    private static final OpenShellRunOptions CAPTURING = OpenShellRunOptions.capturing(Duration.ofSeconds(20));

    private static <T> FutureTask<T> start(Callable<T> task) throws Exception {
        FutureTask<T> future = new FutureTask<>(task);
        startThread(future);
        return future;
    }

    private static Thread startThread(Runnable task) throws Exception {
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        return (Thread) start.invoke(null, task);
    }

    @Test
    @DisplayName("outcomes, deadlines and refusals are those of any other thread, and no thread is left")
    void results_areTheSame() throws Exception {
        long before = Processes.threads();

        assertThat(start(() -> HostileCli.capture("raw", "x", "raw-err", "y", "exit", "3")).get())
                .returns(3, OpenShellRunOutcome::exitCode).returns("x", outcome -> outcome.stdout().text())
                .returns("y", outcome -> outcome.stderr().text());
        assertThatThrownBy(start(() -> HostileCli.RUNNER.run(HostileCli.argv("raw", "x", "sleep", "60"),
                OpenShellRunOptions.capturing(Duration.ofMillis(300))))::get).isInstanceOf(ExecutionException.class)
                .cause().isInstanceOfSatisfying(OpenShellRunnerError.class, e -> {
                    assertThat(e.reason()).isEqualTo(Reason.DEADLINE);
                    assertThat(e.stdout().text()).isEqualTo("x");
                });
        OpenShellRunner badHome = OpenShellRunner.of(OpenShellCli.unverified(HostileCli.EXECUTABLE,
                OpenShellEnvironment.select(Map.of("HOME", "/\0"))));
        assertThatThrownBy(start(() -> badHome.run(OpenShellArgv.version(), CAPTURING))::get)
                .cause().isInstanceOf(OpenShellRunnerError.class);
        Await.until("the threads of before", () -> Processes.threads() <= before + 1);
    }

    @Test
    @DisplayName("R26 an interrupt kills the tree and throws, or is left set where it came during the kill")
    void interrupt_isPassedOn(@TempDir Path dir) throws Exception {
        String mark = Processes.mark(60);
        List<Object> results = Collections.synchronizedList(new ArrayList<>());
        Path started = dir.resolve("started");
        Thread running = startThread(() -> results.add(result("child", mark, "touch", started.toString(), "sleep", mark)));
        Await.until("the start", () -> Files.exists(started));

        running.interrupt();
        Await.until("the end", () -> results.size() == 1);

        assertThat(results.get(0)).isEqualTo("InterruptedException, false");
        assertThat(Processes.runs(mark)).isFalse();

        Path deaf = dir.resolve("deaf");
        Thread dying = startThread(() -> results.add(
                result(Duration.ofSeconds(1), "ignore-term", "touch", deaf.toString(), "sleep", "60")));
        Await.until("the start", () -> Files.exists(deaf));
        Await.until("the kill", () -> Thread.getAllStackTraces().values().stream().anyMatch(
                stack -> List.of(stack).stream().anyMatch(frame -> frame.getClassName().endsWith("ProcessTree")))
                || results.size() == 2 || isNotOurs());
        dying.interrupt();
        Await.until("the end", () -> results.size() == 2);
        assertThat(results.get(1)).isIn("OpenShellRunnerError, true", "InterruptedException, false");
    }

    /** From JDK 24 on the run is on the virtual thread itself, which no list of threads shows. */
    private static boolean isNotOurs() {
        return Runtime.version().feature() >= 24;
    }

    private static String result(String... operations) {
        return result(Duration.ofSeconds(20), operations);
    }

    private static String result(Duration deadline, String... operations) {
        try {
            return "ended " + HostileCli.RUNNER.run(HostileCli.argv(operations), OpenShellRunOptions.capturing(deadline));
        } catch (InterruptedException | OpenShellRunnerError e) {
            return e.getClass().getSimpleName() + ", " + Thread.currentThread().isInterrupted();
        }
    }

    @Test
    @DisplayName("no carrier is held: with a single one another virtual thread runs while a run waits")
    void carrier_isFree() throws Exception {
        ChildJvm.Result child = ChildJvm.with(List.of("-Djdk.virtualThreadScheduler.parallelism=1",
                "-Djdk.virtualThreadScheduler.maxPoolSize=1"), OneCarrier.class);

        assertThat(child.output()).isEqualTo("capturing: free\ndiscarding: free\n");
    }

    /** Asks whether another virtual thread gets its turn while a run waits. */
    static final class OneCarrier {

        private OneCarrier() {
        }

        public static void main(String[] args) throws Exception {
            report("capturing", CAPTURING);
            report("discarding", OpenShellRunOptions.discarding(Duration.ofSeconds(20)));
        }

        private static void report(String name, OpenShellRunOptions options) throws Exception {
            Path started = Files.createTempDirectory("carrier").resolve("started");
            FutureTask<OpenShellRunOutcome> run =
                    start(() -> HostileCli.RUNNER.run(HostileCli.argv("touch", started.toString(), "sleep", "2"), options));
            while (!Files.exists(started)) {
                Thread.sleep(5);
            }
            boolean free = start(() -> !run.isDone()).get();
            run.get();
            Files.delete(started);
            Files.delete(started.getParent());
            System.out.println(name + ": " + (free ? "free" : "held"));
        }
    }
}
