// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs in a JVM that has used up its file descriptors. */
@DisplayName("OpenShellRunner without descriptors")
@Timeout(120)
class ExhaustedJvmTest {

    @Test
    @DisplayName("R24 a capturing run kills all the same; a discarding run cannot, and says so; a start fails")
    void withoutDescriptors(@TempDir Path dir) throws Exception {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -n 200; exec \"$@\"", "sh"));
        command.addAll(ChildJvm.command(List.of(), Exhausted.class, dir.toString()));

        assertThat(ChildJvm.run(command, Map.of()).output()).isEqualTo("""
                capturing: TIMED_OUT was killed, gone
                discarding: TIMED_OUT still runs, alive
                start: LAUNCH_FAILED
                """);
    }

    /** Uses up all descriptors while a run waits for its deadline. */
    static final class Exhausted {

        private static final Deque<FileInputStream> OPEN = new ArrayDeque<>();

        private Exhausted() {
        }

        public static void main(String[] args) throws Exception {
            Duration deadline = Duration.ofMillis(1_500);
            // What the JVM loads at a first kill it cannot load later.
            HostileCli.error(OpenShellRunOptions.capturing(Duration.ofMillis(50)), "sleep", "60");
            HostileCli.error(OpenShellRunOptions.discarding(Duration.ofMillis(50)), "sleep", "60");
            report("capturing", OpenShellRunOptions.capturing(deadline), Path.of(args[0], "a"));
            report("discarding", OpenShellRunOptions.discarding(deadline), Path.of(args[0], "b"));
            useUp();
            OpenShellRunnerError error = HostileCli.error(OpenShellRunOptions.capturing(deadline), "exit", "0");
            giveBack();
            System.out.println("start: " + error.reason());
        }

        private static void report(String name, OpenShellRunOptions options, Path pidFile) throws Exception {
            Running running = new Running(HostileCli.RUNNER, options, "pid", pidFile.toString(), "exec-sleep", "60");
            while (!Files.exists(pidFile)) {
                Thread.sleep(5);
            }
            long pid = Long.parseLong(Files.readString(pidFile).strip());
            useUp();
            OpenShellRunnerError error = (OpenShellRunnerError) running.await();
            giveBack();
            boolean alive = Processes.isAlive(pid);
            System.out.println(name + ": " + error.kind() + " "
                    + (error.getMessage().contains("was killed") ? "was killed" : "")
                    + (error.getMessage().contains("still runs") ? "still runs" : "") + ", " + (alive ? "alive" : "gone"));
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }

        private static void useUp() {
            try {
                while (true) {
                    OPEN.push(new FileInputStream("/dev/null"));
                }
            } catch (IOException e) {
                // None is left.
            }
        }

        private static void giveBack() throws IOException {
            while (!OPEN.isEmpty()) {
                OPEN.pop().close();
            }
        }
    }
}
