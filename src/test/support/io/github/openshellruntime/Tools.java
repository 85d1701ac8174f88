// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The system's tools for the fault suite. One that is missing is a failure, never a skipped test. */
final class Tools {

    private Tools() {
    }

    /** Runs a command that must end with 0, and returns what it printed. */
    static String run(String... command) throws IOException, InterruptedException {
        ChildJvm.Result result = ChildJvm.run(List.of(command), Map.of());
        assertThat(result.exitCode()).as(String.join(" ", command) + ": " + result.output()).isZero();
        return result.output();
    }

    /** What became of a traced write: what the writer said last (empty when it was killed), and the trace. */
    record Traced(String said, String trace) {
    }

    /**
     * Starts a main that says {@code READY <thread>} and waits for a file, traces that thread alone, and lets it go on.
     *
     * @param arguments of the main, after the directory and the file that it waits for
     */
    static Traced trace(Class<?> main, Path directory, List<String> straceOptions, String... arguments) throws Exception {
        Path scratch = Files.createTempDirectory("trace");
        Path go = scratch.resolve("go");
        Path log = scratch.resolve("log");
        List<String> all = new ArrayList<>(List.of(directory.toString(), go.toString()));
        all.addAll(List.of(arguments));
        Process writer = new ProcessBuilder(ChildJvm.command(List.of("-Xshare:auto"), main, all.toArray(String[]::new)))
                .redirectErrorStream(true).start();
        try (BufferedReader said = new BufferedReader(new InputStreamReader(writer.getInputStream(), StandardCharsets.UTF_8))) {
            String ready = said.readLine();
            assertThat(ready).startsWith("READY ");
            List<String> command = new ArrayList<>(List.of("strace", "-y", "-s", "64", "-o", log.toString()));
            command.addAll(straceOptions);
            command.addAll(List.of("-p", ready.substring("READY ".length())));
            Process strace = new ProcessBuilder(command).redirectErrorStream(true).start();
            BufferedReader tracer = new BufferedReader(new InputStreamReader(strace.getInputStream(), StandardCharsets.UTF_8));
            assertThat(tracer.readLine()).contains("attached");
            Files.createFile(go);
            StringBuilder rest = new StringBuilder();
            said.lines().forEach(line -> rest.append(line).append('\n'));
            assertThat(writer.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(strace.waitFor(30, TimeUnit.SECONDS)).isTrue();
            return new Traced(rest.toString().strip(), Files.readString(log));
        } finally {
            writer.destroyForcibly();
            Files.deleteIfExists(go);
            Files.deleteIfExists(log);
            Files.delete(scratch);
        }
    }
}
