// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Flight Recorder events")
@Timeout(60)
class FlightRecorderTest {

    private static final String MARK = "Zq7_Tr0ub4dor";

    private final List<RecordedEvent> seen = new ArrayList<>();

    @Test
    @DisplayName("AUD-02 each run and each write is an event, with what the design lists and no secret")
    void events_areRecorded(@TempDir Path dir) throws Exception {
        BlockingQueue<RecordedEvent> events = new LinkedBlockingQueue<>();
        WrittenPolicy policy;
        try (RecordingStream stream = new RecordingStream()) {
            stream.enable("io.github.openshellruntime.Run");
            stream.enable("io.github.openshellruntime.PolicyWrite");
            stream.setReuse(false);
            stream.onEvent(events::add);
            stream.startAsync();

            policy = PolicyDocuments.write(dir, SessionId.of("a"), PolicyDocuments.render(
                    RuntimeConfig.builder(List.of("/usr/bin/agent")).build().egressAllow(), "/usr/bin/agent"));
            OpenShellRunner secretive = OpenShellRunner.of(OpenShellCli.unverified(HostileCli.EXECUTABLE,
                    OpenShellEnvironment.select(Map.of("PATH", "/usr/bin:/bin", "HOME", "/" + MARK))));
            secretive.run(HostileCli.argv("raw", MARK, "err", "x", "300000", "4096", "exit", "7"),
                    OpenShellRunOptions.capturing(Duration.ofSeconds(20)));
            assertThatThrownBy(() -> secretive.run(HostileCli.argv("raw", MARK, "sleep", "30"),
                    OpenShellRunOptions.discarding(Duration.ofMillis(200)))).isInstanceOf(OpenShellRunnerError.class);
            Path started = dir.resolve("started");
            Running running = new Running(secretive, OpenShellRunOptions.capturing(Duration.ofSeconds(20)),
                    "touch", started.toString(), "sleep", "30");
            Await.until("the start", () -> Files.exists(started));
            assertThat(running.interrupt()).isInstanceOf(InterruptedException.class);
            // Before the start an interrupt is no run and no event.
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> secretive.run(OpenShellArgv.version(), OpenShellRunOptions.discarding(Duration.ofSeconds(1))))
                    .isInstanceOf(InterruptedException.class);
            assertThatThrownBy(() -> OpenShellRunner.of(OpenShellCli.unverified(dir.resolve("none"),
                    OpenShellEnvironment.select(Map.of()))).run(OpenShellArgv.version(), OpenShellRunOptions.discarding(Duration.ofSeconds(1))))
                    .isInstanceOf(OpenShellRunnerError.class);
            for (int i = 0; i < 5; i++) {
                assertThat(take(events)).isNotNull();
            }
        }
        assertThat(seen).hasSize(5);
        RecordedEvent write = seen.get(0);
        assertThat(write.getEventType().getName()).isEqualTo("io.github.openshellruntime.PolicyWrite");
        assertThat(write.getString("path")).isEqualTo(policy.path().toString());
        assertThat(write.getString("sha256")).isEqualTo(policy.sha256());
        assertThat(write.getLong("size")).isPositive();
        RecordedEvent ended = seen.get(1);
        assertThat(ended.getString("verb")).isEqualTo("exec");
        assertThat(ended.getString("sandbox")).isEqualTo("realm-hostile");
        assertThat(ended.getBoolean("captured")).isTrue();
        assertThat(ended.getInt("exitCode")).isEqualTo(7);
        assertThat(ended.getString("reason")).isEmpty();
        assertThat(ended.getLong("stdoutBytes")).isEqualTo(MARK.length());
        assertThat(ended.getLong("stderrBytes")).isEqualTo(300_000);
        assertThat(ended.getBoolean("stdoutTruncated")).isFalse();
        assertThat(ended.getBoolean("stderrTruncated")).isTrue();
        assertThat(ended.getDuration()).isPositive();
        RecordedEvent timedOut = seen.get(2);
        assertThat(timedOut.getString("reason")).isEqualTo("DEADLINE");
        assertThat(timedOut.getInt("exitCode")).isEqualTo(-1);
        assertThat(timedOut.getBoolean("captured")).isFalse();
        RecordedEvent interrupted = seen.get(3);
        assertThat(interrupted.getString("reason")).isEqualTo("INTERRUPTED");
        assertThat(interrupted.getString("sandbox")).isEqualTo("realm-hostile");
        assertThat(interrupted.getInt("exitCode")).isEqualTo(-1);
        assertThat(seen.get(4).getString("reason")).isEqualTo("EXECUTABLE_NOT_FOUND");
        assertThat(seen).allSatisfy(event -> assertThat(event.toString()).doesNotContain(MARK.substring(0, 4)));
    }

    private RecordedEvent take(BlockingQueue<RecordedEvent> events) throws InterruptedException {
        RecordedEvent event = events.poll(20, TimeUnit.SECONDS);
        seen.add(event);
        return event;
    }
}
