// SPDX-License-Identifier: Apache-2.0
package example;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The stand-in for the {@code openshell} CLI, installed into a directory of its own. See {@code openshell-standin}. */
public final class StandIn {

    private final Path home;

    private StandIn(Path home) {
        this.home = home;
    }

    /** Puts the executable into {@code home/bin}. */
    public static StandIn install(Path home) throws IOException {
        Path executable = home.resolve("bin/openshell");
        Files.createDirectories(executable.getParent());
        try (InputStream script = StandIn.class.getResourceAsStream("/example/openshell-standin")) {
            Files.copy(script, executable);
        }
        Files.setPosixFilePermissions(executable, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createDirectories(home.resolve("standin"));
        return new StandIn(home);
    }

    public Path executable() {
        return home.resolve("bin/openshell");
    }

    /** The environment of a host that has this executable, and a secret that must not cross. */
    public Map<String, String> host() {
        return Map.of("HOME", home.toString(), "PATH", home.resolve("bin") + ":/usr/bin:/bin",
                "AWS_SECRET_ACCESS_KEY", "must-not-cross", "OPENSHELL_GATEWAY_ENDPOINT", "http://elsewhere.example.com");
    }

    /** Sets how it behaves: the settings are described in the script. */
    public void set(String setting, String value) throws IOException {
        Files.writeString(home.resolve("standin").resolve(setting), value);
    }

    /** One call as the stand-in saw it. */
    public record Call(List<String> argv, Map<String, String> environment, String policyMode, byte[] policy, long stdinBytes) {
    }

    /** The calls so far, in their order. */
    public List<Call> calls() throws IOException {
        List<Call> calls = new ArrayList<>();
        for (int number = 1; Files.exists(home.resolve("standin/calls/" + number)); number++) {
            Path call = home.resolve("standin/calls/" + number);
            Map<String, String> environment = new TreeMap<>();
            for (String pair : split(call.resolve("env"))) {
                int equals = pair.indexOf('=');
                environment.put(pair.substring(0, equals), pair.substring(equals + 1));
            }
            // A shell sets these by itself.
            environment.keySet().removeAll(List.of("PWD", "SHLVL", "OLDPWD", "_"));
            boolean hasPolicy = Files.exists(call.resolve("policy"));
            calls.add(new Call(split(call.resolve("argv")), environment,
                    hasPolicy ? Files.readString(call.resolve("policy-mode")).strip() : "",
                    hasPolicy ? Files.readAllBytes(call.resolve("policy")) : new byte[0],
                    Files.size(call.resolve("stdin"))));
        }
        return calls;
    }

    private static List<String> split(Path file) throws IOException {
        String text = Files.readString(file, StandardCharsets.UTF_8);
        return List.of(text.substring(0, text.length() - 1).split("\0", -1));
    }

    /** The names of the sandboxes that exist. */
    public List<String> sandboxes() throws IOException {
        Path sandboxes = home.resolve("standin/sandboxes");
        if (!Files.exists(sandboxes)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(sandboxes)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    /** Deletes a directory with all that is in it. */
    public static void delete(Path directory) throws IOException {
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, IOException failure) throws IOException {
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
