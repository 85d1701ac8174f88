// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs a small {@code main} of the tests in a JVM of its own, which the test's own cannot be: another heap, user, locale. */
final class ChildJvm {

    /** What became of it. */
    record Result(int exitCode, String output) {
    }

    private ChildJvm() {
    }

    static List<String> command(List<String> options, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString()));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    static Result with(List<String> options, Class<?> main, String... arguments) throws IOException, InterruptedException {
        return run(command(options, main, arguments), Map.of());
    }

    /** As another user, which wants root. */
    static Result as(String uid, Class<?> main, String... arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("setpriv", "--reuid=" + uid, "--regid=" + uid, "--clear-groups"));
        command.addAll(command(List.of(), main, arguments));
        command.set(command.indexOf("-cp") + 1, Readable.CLASS_PATH);
        return run(command, Map.of());
    }

    /** A copy of the class path that every user can read: what Maven has fetched lies in root's home. */
    private static final class Readable {

        private static final String CLASS_PATH = copy();

        private static String copy() {
            try {
                Path copy = Files.createTempDirectory("class-path");
                Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(copy)));
                List<String> entries = new ArrayList<>();
                for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
                    if (Files.exists(Path.of(entry))) {
                        Path to = copy.resolve(entries.size() + "-" + Path.of(entry).getFileName());
                        execute("cp", "-rL", entry, to.toString());
                        entries.add(to.toString());
                    }
                }
                execute("chmod", "-R", "a+rX", copy.toString());
                return String.join(File.pathSeparator, entries);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void delete(Path copy) {
            try {
                execute("rm", "-rf", copy.toString());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void execute(String... command) throws IOException {
            try {
                if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
                    throw new IOException(String.join(" ", command));
                }
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    }

    static Result run(List<String> command, Map<String, String> environment) throws IOException, InterruptedException {
        Path output = Files.createTempFile("child", ".out");
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile())
                    .redirectInput(new File("/dev/null"));
            builder.environment().putAll(environment);
            int exitCode = builder.start().waitFor();
            return new Result(exitCode, Files.readString(output, StandardCharsets.UTF_8));
        } finally {
            Files.delete(output);
        }
    }
}
