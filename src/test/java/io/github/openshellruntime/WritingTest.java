// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
                assertThatThrownBy(() -> PolicyDocuments.write(directory, PolicyWriter.SESSION, PolicyWriter.NEW))
                        .isInstanceOfSatisfying(PolicyWriteException.class, e -> {
                            assertThat(e.committed()).isFalse();
                            assertThat(e.path()).isEqualTo(directory.resolve(PolicyWriter.FILE));
                        })
                        .hasMessageContaining("Linux alone");
            }
            assertThat(Files.list(zip.getPath("/policies"))).isEmpty();
            assertThat(zip.getPath("/made")).doesNotExist();
            assertThatThrownBy(() -> PolicyDocuments.sweep(zip.getPath("/policies"))).isInstanceOf(PolicyWriteException.class);
            assertThatThrownBy(() -> PolicyDocuments.remove(zip.getPath("/policies"), PolicyWriter.SESSION))
                    .isInstanceOf(PolicyWriteException.class);
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
        Path dangling = Files.createSymbolicLink(dir.resolve("dangling"), dir.resolve("nothing"));
        assertThat(PolicyWriter.write(dangling, PolicyWriter.NEW)).startsWith("FAILED committed=false");
        assertThat(dir.resolve("nothing")).doesNotExist();
        assertThat(PolicyWriter.write(dir.resolve("x/.."), PolicyWriter.NEW)).startsWith("FAILED committed=false");
        assertThat(dir.resolve("x")).doesNotExist();
    }

    @Test
    @DisplayName("RT-07 a relative directory gives an absolute path")
    void relativeDirectory() throws Exception {
        Path relative = Path.of("").toAbsolutePath().relativize(dir.toRealPath());

        assertThat(PolicyDocuments.write(relative, PolicyWriter.SESSION, PolicyWriter.NEW).path())
                .isEqualTo(dir.toRealPath().resolve(PolicyWriter.FILE));
    }
}
