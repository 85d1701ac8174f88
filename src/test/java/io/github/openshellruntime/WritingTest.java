// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Interrupts, many writers, foreign file systems: what needs neither root nor tools. */
@Tag("writing")
@DisplayName("Writing policies")
class WritingTest {

    @TempDir
    private Path dir;

    @Test
    @DisplayName("T19, RT-07 150 interrupts at random moments: one of the two policies, whole; the flag stays; no temp is left")
    void interrupts() throws Exception {
        Random random = new Random(19);
        PolicyWriter.write(dir, PolicyWriter.OLD);
        Path target = dir.resolve(PolicyWriter.FILE);
        int failures = 0;
        for (int i = 0; i < 150; i++) {
            PolicyDocument document = i % 2 == 0 ? PolicyWriter.NEW : PolicyWriter.OLD;
            String before = Files.readString(target);
            String[] said = new String[1];
            boolean[] flag = new boolean[1];
            Thread writer = new Thread(() -> {
                said[0] = PolicyWriter.write(dir, document);
                flag[0] = Thread.currentThread().isInterrupted();
            });
            writer.start();
            TimeUnit.MICROSECONDS.sleep(random.nextInt(1_500));
            writer.interrupt();
            writer.join();
            String after = Files.readString(target);
            assertThat(after).isIn(PolicyWriter.OLD.json(), PolicyWriter.NEW.json());
            if (said[0].startsWith("FAILED")) {
                failures++;
                assertThat(said[0]).containsAnyOf("interrupted", "committed=true");
                assertThat(flag[0]).isTrue();
                assertThat(after).isEqualTo(said[0].contains("committed=true") ? document.json() : before);
            } else {
                assertThat(after).isEqualTo(document.json());
            }
            assertThat(PolicyDocumentsTest.list(dir)).containsExactly(PolicyWriter.FILE);
        }
        assertThat(failures).isPositive();
    }

    @Test
    @DisplayName("T20 eight writers and a reader: the reader never sees a mix, and no temp is left")
    void manyWriters() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(9);
        AtomicBoolean done = new AtomicBoolean();
        PolicyWriter.write(dir, PolicyWriter.OLD);
        try {
            Future<Integer> reader = threads.submit(() -> {
                int reads = 0;
                while (!done.get()) {
                    assertThat(Files.readString(dir.resolve(PolicyWriter.FILE)))
                            .isIn(PolicyWriter.OLD.json(), PolicyWriter.NEW.json());
                    reads++;
                }
                return reads;
            });
            List<Future<?>> writers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                PolicyDocument document = i % 2 == 0 ? PolicyWriter.NEW : PolicyWriter.OLD;
                writers.add(threads.submit(() -> {
                    for (int n = 0; n < 25; n++) {
                        assertThat(PolicyWriter.write(dir, document)).isEqualTo("WRITTEN");
                    }
                }));
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
            done.set(true);
            assertThat(reader.get()).isPositive();
        } finally {
            done.set(true);
            threads.shutdownNow();
        }
        assertThat(PolicyDocumentsTest.list(dir)).containsExactly(PolicyWriter.FILE);
    }

    @Test
    @DisplayName("T20 writers that make the same directory at once all succeed")
    void manyMakers() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            for (int round = 0; round < 20; round++) {
                Path made = dir.resolve("made-" + round);
                List<Future<String>> writers = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    writers.add(threads.submit(() -> PolicyWriter.write(made, PolicyWriter.NEW)));
                }
                for (Future<String> writer : writers) {
                    assertThat(writer.get()).isEqualTo("WRITTEN");
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    @DisplayName("T23 a file system without POSIX owners is refused before a file is made")
    void zipFileSystem() throws Exception {
        URI archive = URI.create("jar:" + dir.resolve("a.zip").toUri());
        try (FileSystem zip = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
            Files.createDirectory(zip.getPath("/policies"));
            for (Path directory : List.of(zip.getPath("/policies"), zip.getPath("/made"))) {
                assertFails(directory, "on Linux alone");
            }
            assertThat(Files.list(zip.getPath("/policies"))).isEmpty();
            assertThat(zip.getPath("/made")).doesNotExist();
        }
    }

    @Test
    @DisplayName("T24 no id can name another file, and the longest directory name still has room for the temp")
    void namesFit() throws Exception {
        for (String bad : List.of("a".repeat(255), "a/b", "..", "a\0b", "a\nb")) {
            assertThat(Refusals.of(() -> SessionId.of(bad))).isNotNull();
        }
        Path deep = dir;
        for (int i = 0; i < 5; i++) {
            deep = Files.createDirectory(deep.resolve("d".repeat(255)));
        }
        PolicyDocuments.write(deep, SessionId.of("abcdefghijklm"), PolicyWriter.NEW);
        assertThat(PolicyDocumentsTest.list(deep)).containsExactly("realm-abcdefghijklm.policy.json");
    }

    @Test
    @DisplayName("RT-07 a directory that is a link, or reached through one, is resolved once")
    void linkedDirectory() throws Exception {
        Path real = Files.createDirectory(dir.resolve("real"));
        Path link = Files.createSymbolicLink(dir.resolve("link"), real);

        assertThat(PolicyDocuments.write(link, PolicyWriter.SESSION, PolicyWriter.NEW).path())
                .isEqualTo(real.toRealPath().resolve(PolicyWriter.FILE));
        assertThat(PolicyDocuments.write(link.resolve("made"), PolicyWriter.SESSION, PolicyWriter.NEW).path())
                .isEqualTo(real.toRealPath().resolve("made").resolve(PolicyWriter.FILE));
    }

    /** One of the calls that take a directory, by the words that its failure starts with. */
    private interface Call {
        Object with(Path directory) throws PolicyWriteException;
    }

    private static final Map<String, Call> CALLS = Map.of(
            "writing the policy", directory -> PolicyDocuments.write(directory, PolicyWriter.SESSION, PolicyWriter.NEW),
            "planning the policy", directory -> LaunchPlan.of(RuntimeConfig.builder(List.of("/a")).build(), PolicyWriter.SESSION, directory),
            "removing the policy", directory -> PolicyDocuments.remove(directory, PolicyWriter.SESSION),
            "sweeping the directory", PolicyDocuments::sweep,
            "listing the policies", PolicyDocuments::sessions);

    private static void assertFails(Path directory, String why) {
        CALLS.forEach((name, call) -> assertFails(name, directory, why));
    }

    private static void assertFails(String name, Path directory, String why) {
        Path about = List.of("sweeping the directory", "listing the policies").contains(name) ? directory : directory.resolve(PolicyWriter.FILE);
        assertThatThrownBy(() -> CALLS.get(name).with(directory)).as(name)
                .isInstanceOfSatisfying(PolicyWriteException.class, e -> {
                    assertThat(e.committed()).isFalse();
                    assertThat(e.path()).isEqualTo(about).isAbsolute();
                })
                .hasMessageStartingWith(name + " failed: ").hasMessageContaining(why).hasMessageEndingWith(" (" + Text.escaped(about.toString()) + ")");
    }

    @Test
    @DisplayName("RT-07 a relative directory is an IllegalArgumentException everywhere, on an interrupted thread too")
    void relativeDirectory() throws Exception {
        Path relative = Path.of("").toAbsolutePath().relativize(dir.toRealPath());
        for (Path bad : List.of(relative, Path.of(""), Path.of("made"))) {
            CALLS.forEach((name, call) -> assertThatThrownBy(() -> call.with(bad)).as(name)
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("must be absolute"));
        }
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> CALLS.get("writing the policy").with(relative)).isInstanceOf(IllegalArgumentException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(dir).isEmptyDirectory();
    }

    @Test
    @DisplayName("RT-07 a directory that is a file, lies below one, or behind links in a circle fails clearly, and nothing is made")
    void noDirectory() throws Exception {
        Path file = Files.writeString(dir.resolve("file"), "x");
        Path circle = Files.createSymbolicLink(dir.resolve("circle"), dir.resolve("circle"));

        assertFails(file, "a file stands in the directory's place");
        assertFails(Files.createSymbolicLink(dir.resolve("link"), file), "a file stands in the directory's place");
        assertFails(file.resolve("below"), "cannot be resolved");
        assertFails(file.resolve("far/below"), "cannot be resolved");
        assertFails(circle, "cannot be resolved");
        assertFails(circle.resolve("below"), "cannot be resolved");
        assertFails(dir.resolve("x".repeat(256)), "cannot be resolved");
        assertThat(PolicyDocumentsTest.list(dir)).containsExactly("circle", "file", "link");
    }

    @Test
    @DisplayName("RT-07 a directory that is missing and cannot be made fails at write and plan; elsewhere there is nothing in it")
    void missingDirectory() throws Exception {
        Path dangling = Files.createSymbolicLink(dir.resolve("dangling"), dir.resolve("nothing"));
        Map<Path, String> missing = Map.of(dangling, "a link to nothing", dangling.resolve("x"), "make the parent", dir.resolve("no/parent"),
                "make the parent", dir.resolve("x/.."), "ends in . or ..", dir.resolve("x/."), "ends in . or ..");
        for (Map.Entry<Path, String> entry : missing.entrySet()) {
            assertFails("writing the policy", entry.getKey(), entry.getValue());
            assertFails("planning the policy", entry.getKey(), entry.getValue());
            assertThat(PolicyDocuments.remove(entry.getKey(), PolicyWriter.SESSION)).isFalse();
            assertThat(PolicyDocuments.sweep(entry.getKey())).isEmpty();
            assertThat(PolicyDocuments.sessions(entry.getKey())).isEmpty();
        }
        assertThat(PolicyDocumentsTest.list(dir)).containsExactly("dangling");
    }

    @Test
    @DisplayName("RT-07 a directory whose name is no text is refused, for OpenShell could not be told it; what is in it can be removed")
    void nameThatIsNoText() throws Exception {
        Tools.run("sh", "-c", "mkdir \"$1/$(printf 'a\\377')\"", "sh", dir.toString());
        Path odd;
        try (Stream<Path> entries = Files.list(dir)) {
            odd = entries.findFirst().orElseThrow();
        }
        Files.createFile(odd.resolve(PolicyWriter.FILE));

        assertFails("writing the policy", odd, "bytes that are no text");
        assertFails("planning the policy", odd, "bytes that are no text");
        assertThat(PolicyDocuments.sessions(odd)).containsExactly(PolicyWriter.SESSION);
        assertThat(PolicyDocuments.remove(odd, PolicyWriter.SESSION)).isTrue();
        assertThat(odd).isEmptyDirectory();
    }

    @Test
    @DisplayName("RT-07 a directory that another writer made in between is taken as it is")
    void directoryMadeInBetween() throws Exception {
        Path made = Files.createDirectory(dir.resolve("made"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));

        DurableFile.makeDirectory(made, new PolicyOperation("writing the policy", made));

        assertThat(PolicyDocumentsTest.mode(made)).isEqualTo("rwxr-xr-x");
    }

    /** A path that is asked for its file system at the move, and then fails as nothing of the disk does. */
    private static Path failingAtTheMove(Path real) {
        return (Path) Proxy.newProxyInstance(Path.class.getClassLoader(), new Class<?>[] {Path.class}, (proxy, method, arguments) -> {
            if (method.getName().equals("getFileSystem")) {
                assertThat(PolicyDocumentsTest.list(real.getParent())).hasSize(2);
                throw new StackOverflowError("of the test");
            }
            return method.invoke(real, arguments);
        });
    }

    @Test
    @DisplayName("RT-07 an Error before the move passes as it is, deletes the temp and leaves the old policy")
    void error() throws Exception {
        Path target = PolicyDocuments.write(dir, PolicyWriter.SESSION, PolicyWriter.OLD).path();
        int ownUid = (Integer) Files.getAttribute(target, "unix:uid");

        assertThatThrownBy(() -> DurableFile.write(failingAtTheMove(target), PolicyWriter.NEW.toBytes(), ownUid,
                new PolicyOperation("writing the policy", target))).isInstanceOf(StackOverflowError.class).hasMessage("of the test");

        assertThat(PolicyDocumentsTest.list(dir)).containsExactly(PolicyWriter.FILE);
        assertThat(target).hasContent(PolicyWriter.OLD.json());
    }
}
