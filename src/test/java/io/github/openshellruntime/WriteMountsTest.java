// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** File systems and users that stand in the way, and power loss. Needs root, mount, mkfs.ext4, chattr, setfacl, setpriv. */
@Tag("faults")
@DisplayName("File systems under the write")
@Timeout(120)
class WriteMountsTest {

    private static final int NOBODY = 65_534;
    private static final String NAMELESS = "54321";

    @TempDir
    private Path temp;
    private Path dir;
    private final List<Path> mounts = new ArrayList<>();

    @BeforeEach
    void makeDirectory() throws Exception {
        dir = privateDirectory("policies");
    }

    @AfterEach
    void unmount() throws Exception {
        for (int i = mounts.size() - 1; i >= 0; i--) {
            Tools.run("umount", mounts.get(i).toString());
        }
        assertThat(Tools.run("cat", "/proc/mounts")).doesNotContain(temp.toString());
    }

    private Path privateDirectory(String name) throws Exception {
        return Files.createDirectory(temp.resolve(name),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    private void mount(Path at, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("mount"));
        command.addAll(List.of(arguments));
        command.add(at.toString());
        Tools.run(command.toArray(String[]::new));
        mounts.add(at);
        Files.setPosixFilePermissions(at, PosixFilePermissions.fromString("rwx------"));
    }

    private static void assertHolds(Path file, PolicyDocument document) throws Exception {
        assertThat(Files.readAllBytes(file)).isEqualTo(document.toBytes());
        assertThat(PolicyDocumentsTest.mode(file)).isEqualTo("rw-------");
    }

    private void assertUntouched(String said, Path directory) throws Exception {
        assertThat(said).startsWith("FAILED committed=false leftovers=0 ");
        assertHolds(directory.resolve(PolicyWriter.FILE), PolicyWriter.OLD);
        assertThat(PolicyDocumentsTest.list(directory)).noneMatch(name -> name.endsWith(".tmp"));
    }

    /** A fresh ext4 in a file, without the mercies of its defaults, mounted; and a look at what the disk has now. */
    private Path ext4(Path image) throws Exception {
        Tools.run("truncate", "-s", "16M", image.toString());
        Tools.run("mkfs.ext4", "-q", "-F", image.toString());
        Path at = Files.createDirectory(temp.resolve("ext4"));
        mount(at, "-o", "loop,data=writeback,noauto_da_alloc,commit=300", image.toString());
        Tools.run("sync", "-f", at.toString());
        return at;
    }

    /** The disk after the power went: what had reached it, and nothing that was still in memory. */
    private Path afterPowerLoss(Path image) throws Exception {
        Path copy = temp.resolve("copy-" + mounts.size());
        Files.copy(image, copy);
        Path at = Files.createDirectory(temp.resolve("after-" + mounts.size()));
        mount(at, "-o", "loop", copy.toString());
        return at;
    }

    @Test
    @DisplayName("T7 a policy survives a power loss right after write has returned")
    void powerLoss_afterWrite() throws Exception {
        Path image = temp.resolve("image");
        Path at = ext4(image);
        assertThat(PolicyWriter.write(at, PolicyWriter.OLD)).isEqualTo("WRITTEN");
        assertHolds(afterPowerLoss(image).resolve(PolicyWriter.FILE), PolicyWriter.OLD);

        assertThat(PolicyWriter.write(at, PolicyWriter.NEW)).isEqualTo("WRITTEN");

        Path after = afterPowerLoss(image);
        assertHolds(after.resolve(PolicyWriter.FILE), PolicyWriter.NEW);
        assertThat(PolicyDocumentsTest.list(after)).containsExactly("lost+found", PolicyWriter.FILE);
    }

    @Test
    @DisplayName("T7 a directory that write has made survives a power loss with its policy")
    void powerLoss_afterMakingTheDirectory() throws Exception {
        Path image = temp.resolve("image");
        Path at = ext4(image);

        assertThat(PolicyWriter.write(at.resolve("made"), PolicyWriter.NEW)).isEqualTo("WRITTEN");

        Path after = afterPowerLoss(image).resolve("made");
        assertHolds(after.resolve(PolicyWriter.FILE), PolicyWriter.NEW);
        assertThat(PolicyDocumentsTest.mode(after)).isEqualTo("rwx------");
    }

    @Test
    @DisplayName("T7 the check can fail: what is not forced is gone after the power loss")
    void powerLoss_control() throws Exception {
        Path image = temp.resolve("image");
        Path at = ext4(image);
        Files.write(at.resolve("unforced"), PolicyWriter.NEW.toBytes());

        assertThat(afterPowerLoss(image).resolve("unforced")).doesNotExist();
    }

    @Test
    @DisplayName("T8 a full file system")
    void full() throws Exception {
        mount(dir, "-t", "tmpfs", "-o", "size=64k", "none");
        assertThat(PolicyWriter.write(dir, PolicyWriter.OLD)).isEqualTo("WRITTEN");
        Tools.run("sh", "-c", "cat /dev/zero > " + dir + "/filler 2>/dev/null; test -s " + dir + "/filler");

        assertUntouched(PolicyWriter.write(dir, PolicyWriter.NEW), dir);
    }

    @Test
    @DisplayName("T9 a file system without inodes")
    void noInodes() throws Exception {
        mount(dir, "-t", "tmpfs", "-o", "nr_inodes=4", "none");
        assertThat(PolicyWriter.write(dir, PolicyWriter.OLD)).isEqualTo("WRITTEN");
        Files.createFile(dir.resolve("a"));
        Files.createFile(dir.resolve("b"));

        assertUntouched(PolicyWriter.write(dir, PolicyWriter.NEW), dir);
    }

    @Test
    @DisplayName("T11 a file system that became read-only")
    void readOnly() throws Exception {
        mount(dir, "-t", "tmpfs", "none");
        assertThat(PolicyWriter.write(dir, PolicyWriter.OLD)).isEqualTo("WRITTEN");
        Tools.run("mount", "-o", "remount,ro", dir.toString());

        assertUntouched(PolicyWriter.write(dir, PolicyWriter.NEW), dir);
        assertThat(PolicyWriter.write(dir.resolve("made"), PolicyWriter.NEW)).startsWith("FAILED committed=false");
    }

    @Test
    @DisplayName("T12 a link at the target, to a file or to nothing, is replaced and not followed")
    void linkAtTheTarget() throws Exception {
        Path victim = Files.writeString(temp.resolve("victim"), "untouched");
        Path target = dir.resolve(PolicyWriter.FILE);
        for (Path link : List.of(victim, temp.resolve("nothing"))) {
            Files.deleteIfExists(target);
            Files.createSymbolicLink(target, link);

            assertThat(PolicyWriter.write(dir, PolicyWriter.NEW)).isEqualTo("WRITTEN");

            assertThat(Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS)).isTrue();
            assertHolds(target, PolicyWriter.NEW);
        }
        assertThat(victim).hasContent("untouched");
        assertThat(temp.resolve("nothing")).doesNotExist();
    }

    @ParameterizedTest(name = "T13 at the target stands what is no file: {0}")
    @ValueSource(strings = {"mkdir", "mkfifo", "mknod-c", "mknod-b", "socket"})
    void noFileAtTheTarget(String kind) throws Exception {
        String target = dir.resolve(PolicyWriter.FILE).toString();
        switch (kind) {
            case "mknod-c" -> Tools.run("mknod", target, "c", "1", "3");
            case "mknod-b" -> Tools.run("mknod", target, "b", "7", "99");
            case "socket" -> Tools.run("python3", "-c", "import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])", target);
            default -> Tools.run(kind, target);
        }
        Object before = Files.getAttribute(Path.of(target), "unix:ino", LinkOption.NOFOLLOW_LINKS);

        assertThat(PolicyWriter.write(dir, PolicyWriter.NEW)).startsWith("FAILED committed=false leftovers=0 ");

        assertThat(Files.getAttribute(Path.of(target), "unix:ino", LinkOption.NOFOLLOW_LINKS)).isEqualTo(before);
        assertThat(PolicyDocumentsTest.list(dir)).containsExactly(PolicyWriter.FILE);
    }

    @Test
    @DisplayName("T14 another name of the old file keeps the old policy")
    void hardLink() throws Exception {
        assertThat(PolicyWriter.write(dir, PolicyWriter.OLD)).isEqualTo("WRITTEN");
        Path other = Files.createLink(temp.resolve("other"), dir.resolve(PolicyWriter.FILE));

        assertThat(PolicyWriter.write(dir, PolicyWriter.NEW)).isEqualTo("WRITTEN");

        assertHolds(other, PolicyWriter.OLD);
        assertHolds(dir.resolve(PolicyWriter.FILE), PolicyWriter.NEW);
    }

    @ParameterizedTest(name = "T15 chattr {0} {1}")
    @CsvSource({"+i,target,0", "+i,directory,0", "+a,directory,1"})
    void immutable(String attribute, String what, int leftovers) throws Exception {
        // Of an ext4 of our own: what /tmp is on may know no attributes.
        Path at = ext4(temp.resolve("image"));
        assertThat(PolicyWriter.write(at, PolicyWriter.OLD)).isEqualTo("WRITTEN");
        String subject = what.equals("target") ? at.resolve(PolicyWriter.FILE).toString() : at.toString();
        Tools.run("chattr", attribute, subject);
        try {
            assertThat(PolicyWriter.write(at, PolicyWriter.NEW))
                    .startsWith("FAILED committed=false leftovers=" + leftovers + " ");
            assertHolds(at.resolve(PolicyWriter.FILE), PolicyWriter.OLD);
            assertThat(PolicyDocumentsTest.list(at)).filteredOn(name -> name.endsWith(".tmp")).hasSize(leftovers);
        } finally {
            Tools.run("chattr", attribute.replace('+', '-'), subject);
        }
    }

    @Test
    @DisplayName("T16 a target that is mounted by itself: refused, with the remedy")
    void bindMounted() throws Exception {
        assertThat(PolicyWriter.write(dir, PolicyWriter.OLD)).isEqualTo("WRITTEN");
        Path target = dir.resolve(PolicyWriter.FILE);
        Path source = Files.write(temp.resolve("source"), PolicyWriter.OLD.toBytes());
        Tools.run("mount", "--bind", source.toString(), target.toString());
        mounts.add(target);
        Files.setPosixFilePermissions(source, PosixFilePermissions.fromString("rw-------"));

        String said = PolicyWriter.write(dir, PolicyWriter.NEW);

        assertUntouched(said, dir);
        assertThat(said).contains("mount its directory instead");
    }

    @ParameterizedTest(name = "T17 umask {0}: {1}")
    @CsvSource({"0777,FAILED", "0277,FAILED", "0000,WRITTEN", "0022,WRITTEN", "0077,WRITTEN"})
    void umask(String umask, String verdict) throws Exception {
        assertThat(PolicyWriter.write(dir, PolicyWriter.OLD)).isEqualTo("WRITTEN");
        List<String> command = new ArrayList<>(List.of("sh", "-c", "umask " + umask + "; exec \"$@\"", "sh"));
        command.addAll(ChildJvm.command(List.of(), PolicyWriter.Once.class, dir.toString()));

        String said = ChildJvm.run(command, Map.of()).output();

        assertThat(said).startsWith(verdict);
        assertHolds(dir.resolve(PolicyWriter.FILE), verdict.equals("WRITTEN") ? PolicyWriter.NEW : PolicyWriter.OLD);
        assertThat(PolicyDocumentsTest.list(dir)).containsExactly(PolicyWriter.FILE);
    }

    @ParameterizedTest(name = "T17 umask {0} when the directory is missing: {1}")
    @CsvSource({"0777,FAILED", "0277,FAILED", "0000,WRITTEN"})
    void umaskOfTheDirectory(String umask, String verdict) throws Exception {
        Path made = dir.resolve("made");
        List<String> command = new ArrayList<>(List.of("sh", "-c", "umask " + umask + "; exec \"$@\"", "sh"));
        command.addAll(ChildJvm.command(List.of(), PolicyWriter.Once.class, made.toString()));

        assertThat(ChildJvm.run(command, Map.of()).output()).startsWith(verdict);

        if (verdict.equals("FAILED")) {
            assertThat(made).doesNotExist();
        } else {
            assertThat(PolicyDocumentsTest.mode(made)).isEqualTo("rwx------");
            assertHolds(made.resolve(PolicyWriter.FILE), PolicyWriter.NEW);
        }
    }

    @Test
    @DisplayName("T18 a default ACL of the directory lets nobody else read")
    void defaultAcl() throws Exception {
        Path at = ext4(temp.resolve("image"));
        Files.setPosixFilePermissions(at, PosixFilePermissions.fromString("rwxr-xr-x"));
        Tools.run("setfacl", "-d", "-m", "u:nobody:rwx", at.toString());

        assertThat(PolicyWriter.write(at, PolicyWriter.NEW)).isEqualTo("WRITTEN");

        assertThat(PolicyDocumentsTest.mode(at.resolve(PolicyWriter.FILE))).isEqualTo("rw-------");
        ChildJvm.Result read = ChildJvm.run(List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", "cat",
                at.resolve(PolicyWriter.FILE).toString()), Map.of());
        assertThat(read.exitCode()).isNotZero();
        assertThat(read.output()).contains("Permission denied");
    }

    private String writeAs(String uid, Path directory) throws Exception {
        return ChildJvm.as(uid, PolicyWriter.Once.class, directory.toString()).output();
    }

    private void mode(Path path, String mode) throws Exception {
        Tools.run("chmod", mode, path.toString());
    }

    @ParameterizedTest(name = "T21 a directory of mode {0}: {1}")
    @CsvSource({"0777,FAILED", "0770,FAILED", "0720,FAILED", "0702,FAILED", "1777,FAILED", "0755,WRITTEN", "0700,WRITTEN", "2700,WRITTEN"})
    void directoryMode(String mode, String verdict) throws Exception {
        mode(dir, mode);

        assertThat(PolicyWriter.write(dir, PolicyWriter.NEW)).startsWith(verdict);

        assertThat(Tools.run("stat", "-c", "%a", dir.toString()).strip()).isEqualTo(mode.replaceFirst("^0", ""));
        assertThat(PolicyDocumentsTest.list(dir)).hasSize(verdict.equals("WRITTEN") ? 1 : 0);
    }

    @ParameterizedTest(name = "T21 a directory above of mode {0}: {1}")
    @CsvSource({"0777,FAILED", "0757,FAILED", "1777,WRITTEN", "0775,WRITTEN", "0755,WRITTEN"})
    void ancestorMode(String mode, String verdict) throws Exception {
        Path below = Files.createDirectories(dir.resolve("a/b"));
        mode(below, "0700");
        mode(dir, mode);

        assertThat(PolicyWriter.write(below, PolicyWriter.NEW)).startsWith(verdict);
        assertThat(PolicyWriter.write(dir.resolve("made"), PolicyWriter.NEW)).startsWith(verdict);

        assertThat(Files.exists(dir.resolve("made"))).isEqualTo(verdict.equals("WRITTEN"));
    }

    @Test
    @DisplayName("T21 a directory, and one above, of another user: refused")
    void foreignOwner() throws Exception {
        Tools.run("chown", Integer.toString(NOBODY), dir.toString());
        assertThat(PolicyWriter.write(dir, PolicyWriter.NEW)).contains("belongs to another user");
        Path below = Files.createDirectory(dir.resolve("below"));
        mode(below, "0700");
        assertThat(PolicyWriter.write(below, PolicyWriter.NEW)).contains("belongs to another user");
        assertThat(PolicyDocumentsTest.list(below)).isEmpty();
    }

    @ParameterizedTest(name = "T22 as user {0}, who may have no name")
    @ValueSource(strings = {"65534", NAMELESS})
    void otherUser(String uid) throws Exception {
        mode(temp, "0755");
        Tools.run("chown", uid, dir.toString());

        assertThat(writeAs(uid, dir)).isEqualTo("WRITTEN\n");
        assertHolds(dir.resolve(PolicyWriter.FILE), PolicyWriter.NEW);
        assertThat(Tools.run("stat", "-c", "%u", dir.resolve(PolicyWriter.FILE).toString()).strip()).isEqualTo(uid);
        assertThat(writeAs(uid, dir.resolve("made"))).isEqualTo("WRITTEN\n");
    }

    @Test
    @DisplayName("T22 as a user who may not write there: refused")
    void otherUserWithoutPermission() throws Exception {
        mode(temp, "0755");
        mode(dir, "0755");
        assertThat(PolicyWriter.write(dir, PolicyWriter.OLD)).isEqualTo("WRITTEN");

        String said = writeAs(NAMELESS, dir);

        assertUntouched(said, dir);
        Path foreign = privateDirectory("foreign");
        Tools.run("chown", "65534", foreign.toString());
        mode(foreign, "0755");
        assertThat(writeAs(NAMELESS, foreign)).contains("belongs to another user");
        mode(dir, "0700");
        assertThat(writeAs(NAMELESS, dir)).startsWith("FAILED committed=false");
    }

    @ParameterizedTest(name = "T22 a directory of our own with mode {0}: the message says {1}")
    @CsvSource({"0300,cannot open the directory", "0500,cannot create a new file", "0600,cannot look at the policy's place"})
    void ownDirectoryWithoutPermission(String mode, String why) throws Exception {
        mode(temp, "0755");
        Files.write(dir.resolve(PolicyWriter.FILE), PolicyWriter.OLD.toBytes());
        Files.createFile(dir.resolve("." + "a".repeat(32) + ".tmp"));
        Files.setLastModifiedTime(dir.resolve("." + "a".repeat(32) + ".tmp"), FileTime.fromMillis(0));
        Tools.run("chown", "-R", NAMELESS, dir.toString());
        mode(dir, mode);

        assertThat(writeAs(NAMELESS, dir)).startsWith("FAILED committed=false leftovers=0 writing the policy failed: " + why);

        List<String> others = ChildJvm.as(NAMELESS, PolicyWriter.Others.class, dir.toString()).output().lines().toList();
        switch (mode) {
            case "0300" -> assertThat(others).satisfiesExactly(removed -> assertThat(removed).isEqualTo("true"),
                    swept -> assertThat(swept).startsWith("sweeping the directory failed: cannot list the directory"),
                    listed -> assertThat(listed).startsWith("listing the policies failed: cannot list the directory"));
            case "0500" -> assertThat(others).satisfiesExactly(
                    removed -> assertThat(removed).startsWith("removing the policy failed: cannot remove realm-s-1.policy.json; "),
                    swept -> assertThat(swept).startsWith("sweeping the directory failed: cannot remove .aaaa"),
                    listed -> assertThat(listed).isEqualTo("[s-1]"));
            default -> assertThat(others).satisfiesExactly(
                    removed -> assertThat(removed).startsWith("removing the policy failed: cannot look at the policy's place"),
                    swept -> assertThat(swept).startsWith("sweeping the directory failed: cannot look at a leftover"),
                    listed -> assertThat(listed).startsWith("listing the policies failed: cannot look at the policy's place"));
        }
    }

    @Test
    @DisplayName("T22 sweep leaves what another user left")
    void sweepOfAnotherUser() throws Exception {
        Path leftover = Files.createFile(dir.resolve("." + "a".repeat(32) + ".tmp"));
        Files.setLastModifiedTime(leftover, FileTime.fromMillis(0));
        Tools.run("chown", NAMELESS, leftover.toString());

        assertThat(PolicyDocuments.sweep(dir)).isEmpty();
        Tools.run("chown", "0", leftover.toString());
        assertThat(PolicyDocuments.sweep(dir)).containsExactly(leftover);
    }

    @Test
    @DisplayName("T22 a directory behind one that we may not enter: every call says so")
    void directoryBehindAnother() throws Exception {
        mode(temp, "0755");
        Path behind = Files.createDirectory(dir.resolve("behind"));

        assertThat(writeAs(NAMELESS, behind)).startsWith("FAILED committed=false leftovers=0 writing the policy failed: the directory cannot be resolved");
        assertThat(ChildJvm.as(NAMELESS, PolicyWriter.Others.class, behind.toString()).output().lines())
                .hasSize(3).allMatch(line -> line.contains("failed: the directory cannot be resolved"));
    }

    @Test
    @DisplayName("T23 a system without /proc/self is refused before anything is made")
    void withoutProc() throws Exception {
        Path made = dir.resolve("made");
        // Without /proc the dynamic linker does not know where the launcher stands.
        Map<String, String> libraries = Map.of("LD_LIBRARY_PATH", System.getProperty("java.home") + "/lib");
        for (Class<?> main : List.of(PolicyWriter.Once.class, PolicyWriter.Others.class)) {
            List<String> command = new ArrayList<>(List.of("unshare", "--mount", "sh", "-c", "mount -t tmpfs none /proc; exec \"$@\"", "sh"));
            command.addAll(ChildJvm.command(List.of(), main, made.toString()));

            assertThat(ChildJvm.run(command, libraries).output().lines()).isNotEmpty()
                    .allMatch(line -> line.contains("failed: policies are written on Linux alone, where /proc/self"));
        }
        assertThat(made).doesNotExist();
    }
}
