// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real files, links, pipes and devices. C ids are those of the table of documents. */
@DisplayName("Config file")
@Timeout(60)
class ConfigFileTest {

    private static final String GOOD = "{\"workloadArgv\":[\"/usr/bin/agent\"]}";

    @TempDir
    private Path dir;

    private static void assertRule(Path file, Problem.Rule rule) {
        RefusedException refusal = Refusals.of(() -> RuntimeConfigLoader.standard().load(file));
        assertThat(refusal).isNotNull();
        assertThat(Refusals.places(refusal)).containsExactly(rule + "  0:0");
        assertThat(refusal.code()).isEqualTo(RefusedException.Code.SCHEMA_INVALID);
        assertThat(refusal.getMessage()).startsWith(Text.printable(file.toString()) + ": 1 problem\n");
        assertThat(refusal).hasNoCause();
    }

    @Test
    @DisplayName("RT-01 a good file is loaded, and its report names it")
    void load_goodFile() throws Exception {
        Path file = Files.writeString(dir.resolve("c.json"), GOOD);

        assertThat(RuntimeConfigLoader.standard().load(file).workloadArgv()).containsExactly("/usr/bin/agent");
        Files.writeString(file, "{}");
        assertThat(Refusals.of(() -> RuntimeConfigLoader.standard().load(file)).getMessage())
                .startsWith(Text.printable(file.toString()));
    }

    @Test
    @DisplayName("RT-01 C1, C6 nothing there, a dangling link: FILE_NOT_FOUND")
    void load_nothing() throws Exception {
        assertRule(dir.resolve("none"), Problem.Rule.FILE_NOT_FOUND);
        assertRule(dir.resolve("none/below"), Problem.Rule.FILE_NOT_FOUND);
        assertRule(Files.createSymbolicLink(dir.resolve("link"), dir.resolve("none")), Problem.Rule.FILE_NOT_FOUND);
    }

    @Test
    @DisplayName("RT-01 C2, C4, R60 a directory, a device, a FIFO: FILE_NOT_REGULAR, at once")
    void load_notRegular() throws Exception {
        assertRule(dir, Problem.Rule.FILE_NOT_REGULAR);
        assertRule(Path.of("/dev/zero"), Problem.Rule.FILE_NOT_REGULAR);
        assertRule(Path.of("/dev/full"), Problem.Rule.FILE_NOT_REGULAR);
        Path fifo = dir.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
        assertRule(fifo, Problem.Rule.FILE_NOT_REGULAR);
        assertRule(Files.createSymbolicLink(dir.resolve("link"), fifo), Problem.Rule.FILE_NOT_REGULAR);
    }

    @Test
    @DisplayName("RT-01 a path below a file, a loop of links: FILE_UNREADABLE")
    void load_unreadable() throws Exception {
        Path file = Files.writeString(dir.resolve("file"), GOOD);
        assertRule(file.resolve("below"), Problem.Rule.FILE_UNREADABLE);
        Path loop = dir.resolve("loop");
        Files.createSymbolicLink(loop, loop);
        assertRule(loop, Problem.Rule.FILE_UNREADABLE);
    }

    @Test
    @DisplayName("RT-01 C7 a file that we may not read: FILE_UNREADABLE")
    void load_mode000() throws Exception {
        Path file = Files.writeString(dir.resolve("secret"), GOOD);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
        if (!Files.isReadable(file)) {
            assertRule(file, Problem.Rule.FILE_UNREADABLE);
            return;
        }
        // Root reads everything, so another user looks.
        Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxr-xr-x"));
        ChildJvm.Result child = ChildJvm.as("65534", Load.class, file.toString());
        assertThat(child.output()).startsWith("FILE_UNREADABLE");
    }

    @Test
    @DisplayName("RT-01 C5 a ConfigMap of Kubernetes, a link to a link in a linked directory, is loaded")
    void load_configMap() throws Exception {
        Path data = Files.createDirectory(dir.resolve("..2026_11_30"));
        Files.writeString(data.resolve("runtime.json"), GOOD);
        Files.createSymbolicLink(dir.resolve("..data"), Path.of("..2026_11_30"));
        Path mounted = Files.createSymbolicLink(dir.resolve("runtime.json"), Path.of("..data/runtime.json"));

        assertThat(RuntimeConfigLoader.standard().load(mounted).workloadArgv()).hasSize(1);
    }

    @Test
    @DisplayName("R60 8 GiB of nothing are refused under a heap of 64 MB")
    void load_sparse() throws Exception {
        Path sparse = dir.resolve("sparse");
        try (RandomAccessFile file = new RandomAccessFile(sparse.toFile(), "rw")) {
            file.setLength(8L << 30);
        }
        ChildJvm.Result child = ChildJvm.with(List.of("-Xmx64m"), Load.class, sparse.toString());

        assertThat(child.output()).startsWith("FILE_TOO_BIG");
        assertRule(sparse, Problem.Rule.FILE_TOO_BIG);
    }

    @Test
    @DisplayName("a file of the kernel, whose size says 0, is read and found wanting")
    void load_proc() {
        RefusedException refusal = Refusals.of(() -> RuntimeConfigLoader.standard().load(Path.of("/proc/self/status")));

        assertThat(refusal.problems().get(0).rule()).isIn(Problem.Rule.SYNTAX, Problem.Rule.FILE_CHANGED);
    }

    @Test
    @DisplayName("1 MiB is read, one byte more is not")
    void load_isBounded() throws Exception {
        Path file = Files.writeString(dir.resolve("c.json"), GOOD + " ".repeat((1 << 20) - GOOD.length()));
        assertThat(RuntimeConfigLoader.standard().load(file).workloadArgv()).hasSize(1);
        Files.writeString(file, GOOD + " ".repeat((1 << 20) - GOOD.length() + 1));
        assertRule(file, Problem.Rule.FILE_TOO_BIG);
    }

    private void assertChanged(ConfigFile.BeforeOpen change, Problem.Rule rule) throws IOException {
        Path file = Files.writeString(dir.resolve("c.json"), GOOD);
        Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000));
        RefusedException refusal = Refusals.of(() -> RuntimeConfigLoader.standard().load(file, change));
        assertThat(refusal).isNotNull();
        assertThat(Refusals.summary(refusal)).containsExactly(rule + " ");
    }

    @Test
    @DisplayName("RT-01 C9 a file exchanged between the look and the open: FILE_CHANGED")
    void load_exchanged() throws Exception {
        Path file = dir.resolve("c.json");
        assertChanged(() -> {
            Path other = Files.writeString(dir.resolve("other"), GOOD);
            Files.setLastModifiedTime(other, FileTime.fromMillis(1_000_000));
            Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
        }, Problem.Rule.FILE_CHANGED);
    }

    @Test
    @DisplayName("RT-01 C9 a file changed in place, with its time put back, is seen by its change time: FILE_CHANGED")
    void load_rewritten() throws Exception {
        Path file = dir.resolve("c.json");
        assertChanged(() -> {
            waitForTheClock(file);
            Files.writeString(file, GOOD.replace("agent", "AGENT"));
            Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000));
        }, Problem.Rule.FILE_CHANGED);
    }

    /** The change time has the grain of the kernel's clock: wait until it has moved on. */
    private static void waitForTheClock(Path file) throws IOException {
        Path probe = file.resolveSibling("probe");
        Object before = Files.getAttribute(file, "unix:ctime");
        do {
            Files.writeString(probe, "x");
        } while (Files.getAttribute(probe, "unix:ctime").equals(before));
        Files.delete(probe);
    }

    @Test
    @DisplayName("RT-01 a file exchanged for a link, for nothing: not followed, FILE_UNREADABLE, FILE_NOT_FOUND")
    void load_exchangedForALink() throws Exception {
        Path file = dir.resolve("c.json");
        Path elsewhere = Files.writeString(dir.resolve("elsewhere"), GOOD);
        assertChanged(() -> {
            Files.delete(file);
            Files.createSymbolicLink(file, elsewhere);
        }, Problem.Rule.FILE_UNREADABLE);
        Files.delete(file);
        assertChanged(() -> Files.delete(file), Problem.Rule.FILE_NOT_FOUND);
    }

    @Test
    @DisplayName("RT-01 a file that grows or vanishes while it is read")
    void load_grows() throws Exception {
        Path file = dir.resolve("c.json");
        assertChanged(() -> Files.writeString(file, GOOD + " "), Problem.Rule.FILE_CHANGED);
    }

    /** Loads a config in a JVM of its own and prints the first rule, or {@code -}. */
    static final class Load {

        private Load() {
        }

        public static void main(String[] args) {
            RefusedException refusal = Refusals.of(() -> RuntimeConfigLoader.standard().load(Path.of(args[0])));
            System.out.println(refusal == null ? "-" : refusal.problems().get(0).rule());
        }
    }
}
