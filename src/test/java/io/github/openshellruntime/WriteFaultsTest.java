// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * System calls that fail and processes that die in the middle of a write. Needs root and strace. T ids are those of the
 * test plan of the write; OLD and NEW are the two policies of {@link PolicyWriter}.
 */
@Tag("faults")
@DisplayName("Faults of the write")
@Timeout(120)
class WriteFaultsTest {

    @TempDir
    private Path temp;
    private Path dir;

    @BeforeEach
    void makeDirectory() throws Exception {
        dir = Files.createDirectory(temp.resolve("policies"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    private Tools.Traced inject(String... injections) throws Exception {
        List<String> options = new ArrayList<>();
        for (String injection : injections) {
            options.addAll(List.of("-e", "inject=" + injection));
        }
        return Tools.trace(PolicyWriter.Twice.class, dir, options);
    }

    private void assertHolds(PolicyDocument document) throws Exception {
        assertThat(Files.readAllBytes(dir.resolve(PolicyWriter.FILE))).isEqualTo(document.toBytes());
        assertThat(PolicyDocumentsTest.mode(dir.resolve(PolicyWriter.FILE))).isEqualTo("rw-------");
    }

    private void assertNoTemp() throws Exception {
        assertThat(PolicyDocumentsTest.list(dir)).containsExactly(PolicyWriter.FILE);
    }

    private void assertUntouched(Tools.Traced traced) throws Exception {
        assertThat(traced.trace()).contains("(INJECTED)");
        assertThat(traced.said()).startsWith("FAILED committed=false leftovers=0 ");
        assertHolds(PolicyWriter.OLD);
        assertNoTemp();
    }

    @Test
    @DisplayName("T1, RT-07 the order of the calls: directory, temp 0600, write, fsync, close, rename, fsync of the directory, create")
    void order_ofTheCalls() throws Exception {
        Path create = temp.resolve("create");
        Files.writeString(create, "#!/bin/sh\nexit 0\n");
        Files.setPosixFilePermissions(create, PosixFilePermissions.fromString("rwx------"));

        Tools.Traced traced = Tools.trace(PolicyWriter.ThenCreate.class, dir,
                List.of("-f", "-e", "trace=openat,write,fsync,close,rename,execve"), create.toString());

        // Threads of the JVM are traced along, so a call and its result may stand on two lines; all of them succeeded.
        assertThat(traced.said()).isEqualTo("CREATED");
        String file = "/\\.[0-9a-f]{32}\\.tmp";
        assertInOrder(traced.trace(),
                "openat\\(.*, \"[^\"]*/policies\", O_RDONLY",
                "openat\\(.*" + file + "\", O_WRONLY\\|O_CREAT\\|O_EXCL(\\|O_NOFOLLOW)?, 0600",
                "write\\(\\d+<[^>]*" + file + ">",
                "fsync\\(\\d+<[^>]*" + file + ">",
                "close\\(\\d+<[^>]*" + file + ">",
                "rename\\(\"[^\"]*" + file + "\", \"[^\"]*/realm-s-1\\.policy\\.json\"",
                "fsync\\(\\d+<[^>]*/policies>",
                "execve\\(");
    }

    @Test
    @DisplayName("T1 a directory that is made is forced, by way of its parent, before the file")
    void order_withADirectory() throws Exception {
        // The first write of Twice makes it, so it goes between the two.
        Path made = dir.resolve("made");
        Path log = temp.resolve("log");

        assertThat(strace(List.of("-y", "-o", log.toString(), "-e", "trace=mkdir,fsync,rename"), made).output())
                .isEqualTo("WRITTEN\n");
        assertInOrder(Files.readString(log), "mkdir\\(\"[^\"]*/made\", 0700", "fsync\\(\\d+<[^>]*/policies>",
                "fsync\\(\\d+<[^>]*/made/\\.[0-9a-f]{32}\\.tmp>", "rename\\(", "fsync\\(\\d+<[^>]*/made>");
    }

    /** One write in a JVM that is traced from its start on, with all of its threads. */
    private static ChildJvm.Result strace(List<String> options, Path directory) throws Exception {
        List<String> command = new ArrayList<>(List.of("strace", "-f", "-qq"));
        command.addAll(options);
        command.addAll(ChildJvm.command(List.of(), PolicyWriter.Once.class, directory.toString()));
        return ChildJvm.run(command, Map.of());
    }

    private static void assertInOrder(String trace, String... steps) {
        int from = 0;
        for (String step : steps) {
            Matcher matcher = Pattern.compile(step).matcher(trace);
            assertThat(matcher.find(from)).as(step + " after offset " + from + " of\n" + trace).isTrue();
            from = matcher.end();
        }
    }

    @ParameterizedTest(name = "T2, T10 {0} fails with {2}: the old policy is untouched and no temp is left")
    @CsvSource({
        "openat of the directory,openat,1", "openat of the temp,openat,2", "write,write,1", "fsync of the file,fsync,1",
        "rename,rename,1"})
    void failure_beforeTheMove(String what, String call, int when) throws Exception {
        for (String error : List.of("EIO", "ENOSPC", "EDQUOT", "EBUSY", "EXDEV")) {
            assertUntouched(inject(call + ":error=" + error + ":when=" + when));
        }
    }

    @ParameterizedTest(name = "T2 close of the file fails with {0}: the old policy is untouched")
    @ValueSource(strings = {"EIO", "ENOSPC", "EDQUOT"})
    void failure_ofClose(String error) throws Exception {
        assertUntouched(inject("close:error=" + error + ":when=1"));
    }

    @ParameterizedTest(name = "T2 statx number {0} fails with EIO: the old policy is untouched, the message says {1}")
    @CsvSource({"1,/proc/self", "2,the directory cannot be resolved", "3,cannot look at", "4,cannot look at", "5,cannot look at", "6,cannot look at",
        "7,cannot look at the policy's place", "8,'cannot create a file of this process''s own'"})
    void failure_ofLooking(int when, String said) throws Exception {
        Tools.Traced traced = inject("statx:error=EIO:when=" + when);

        assertUntouched(traced);
        assertThat(traced.said()).contains("writing the policy failed: ", said);
    }

    @Test
    @DisplayName("T2 a temp name that is taken is a failure, and what has it is not removed")
    void failure_ofTheName() throws Exception {
        Tools.Traced traced = inject("openat:error=EEXIST:when=2");

        assertUntouched(traced);
        // Not even looked at, after the open.
        assertThat(traced.trace().lines().filter(line -> line.contains(".tmp"))).hasSize(1).first().asString().contains("INJECTED");
    }

    @Test
    @DisplayName("T2 fsync of the parent of a directory that is made fails: nothing is left of it")
    void failure_ofTheParent() throws Exception {
        Path made = dir.resolve("made");

        String said = strace(List.of("-o", temp.resolve("log").toString(), "-e", "inject=fsync:error=EIO:when=1"), made).output();

        assertThat(said).startsWith("FAILED committed=false leftovers=0 ").contains("cannot make the directory durable");
        assertThat(made).doesNotExist();
    }

    @ParameterizedTest(name = "T3 fsync of the directory fails with {0}: the new policy is there, committed, but it is an error")
    @ValueSource(strings = {"EIO", "ENOSPC", "EDQUOT"})
    void failure_afterTheMove(String error) throws Exception {
        Tools.Traced traced = inject("fsync:error=" + error + ":when=2");

        assertThat(traced.trace()).contains("(INJECTED)");
        assertThat(traced.said()).startsWith("FAILED committed=true leftovers=0 ").contains("do not create the sandbox");
        assertHolds(PolicyWriter.NEW);
        assertNoTemp();
    }

    @Test
    @DisplayName("T3 close of the directory after its fsync fails: nothing is lost by it")
    void failure_ofTheLastClose() throws Exception {
        assertThat(inject("close:error=EIO:when=2").said()).isEqualTo("WRITTEN");
        assertHolds(PolicyWriter.NEW);
    }

    @ParameterizedTest(name = "T4 rename fails with {0}: the old policy is untouched, the temp is gone, the step is named")
    @ValueSource(strings = {"EIO", "EXDEV", "EBUSY", "EINTR"})
    void failure_ofTheMove(String error) throws Exception {
        Tools.Traced traced = inject("rename:error=" + error + ":when=1");

        assertUntouched(traced);
        assertThat(traced.said()).contains("move the new file into place", "mount its directory instead");
    }

    @Test
    @DisplayName("T4 the temp cannot be removed after a failure: a suppressed exception names it")
    void failure_ofTheCleanUp() throws Exception {
        Tools.Traced traced = inject("rename:error=EIO:when=1", "unlink:error=EIO:when=1");

        assertThat(traced.said()).startsWith("FAILED committed=false leftovers=1 ");
        assertHolds(PolicyWriter.OLD);
        assertThat(PolicyDocumentsTest.list(dir)).hasSize(2);
    }

    @ParameterizedTest(name = "T5 SIGKILL at {0} number {1} leaves {2}, whole")
    @CsvSource({"openat,1,OLD,0", "openat,2,OLD,0", "write,1,OLD,1", "fsync,1,OLD,1", "close,1,OLD,1", "rename,1,OLD,1",
        "fsync,2,NEW,0", "close,2,NEW,0"})
    void kill_atEachCall(String call, int when, String left, int temps) throws Exception {
        Tools.Traced traced = inject(call + ":signal=KILL:when=" + when);

        assertThat(traced.said()).isEmpty();
        // A call that a signal meets on its way in may be made all the same.
        PolicyDocument found = Files.readString(dir.resolve(PolicyWriter.FILE)).equals(PolicyWriter.OLD.json())
                ? PolicyWriter.OLD : PolicyWriter.NEW;
        assertHolds(found);
        List<String> leftovers = PolicyDocumentsTest.list(dir).stream().filter(name -> name.endsWith(".tmp")).toList();
        assertThat(leftovers.size()).isLessThanOrEqualTo(1);
        if (!call.equals("rename") && !call.equals("openat")) {
            assertThat(found).isEqualTo(left.equals("OLD") ? PolicyWriter.OLD : PolicyWriter.NEW);
            assertThat(leftovers).hasSize(temps);
        }
        for (String leftover : leftovers) {
            assertThat(leftover).matches("\\.[0-9a-f]{32}\\.tmp");
            assertThat(PolicyDocumentsTest.mode(dir.resolve(leftover))).isEqualTo("rw-------");
            Files.setLastModifiedTime(dir.resolve(leftover), FileTime.from(Instant.now().minus(Duration.ofMinutes(61))));
        }
        assertThat(PolicyDocuments.sweep(dir)).hasSize(leftovers.size());
        assertNoTemp();
    }

    @Test
    @DisplayName("T6 thirty kills at random moments: one of the two policies each time, whole, and temps of mode 0600")
    void kill_atRandom() throws Exception {
        Random random = new Random(6);
        for (int i = 0; i < 30; i++) {
            Process writer = new ProcessBuilder(ChildJvm.command(List.of(), PolicyWriter.Forever.class, dir.toString()))
                    .redirectErrorStream(true).start();
            assertThat(writer.inputReader().readLine()).isEqualTo("READY");
            Await.until("the first policy", () -> Files.exists(dir.resolve(PolicyWriter.FILE)));
            TimeUnit.MICROSECONDS.sleep(random.nextInt(50_000));
            writer.toHandle().destroyForcibly();
            assertThat(writer.waitFor()).isEqualTo(137);
            assertThat(Files.readString(dir.resolve(PolicyWriter.FILE)))
                    .isIn(PolicyWriter.OLD.json(), PolicyWriter.NEW.json());
        }
        for (String name : PolicyDocumentsTest.list(dir)) {
            assertThat(PolicyDocumentsTest.mode(dir.resolve(name))).isEqualTo("rw-------");
        }
    }

    @ParameterizedTest(name = "T25, RT-07 create does not run when {0}")
    @ValueSource(strings = {"fsync:error=EIO:when=1", "fsync:error=EIO:when=2", "rename:error=EIO:when=1", "write:error=ENOSPC:when=1"})
    void create_onlyAfterSuccess(String injection) throws Exception {
        Path mark = temp.resolve("created");
        Path create = temp.resolve("create");
        Files.writeString(create, "#!/bin/sh\n: > " + mark + "\n");
        Files.setPosixFilePermissions(create, PosixFilePermissions.fromString("rwx------"));

        Tools.Traced traced = Tools.trace(PolicyWriter.ThenCreate.class, dir, List.of("-e", "inject=" + injection),
                create.toString());

        assertThat(traced.said()).startsWith("FAILED committed=");
        assertThat(mark).doesNotExist();
    }

    @Test
    @DisplayName("T25 create runs after a write that succeeded")
    void create_afterSuccess() throws Exception {
        Path mark = temp.resolve("created");
        Path create = temp.resolve("create");
        Files.writeString(create, "#!/bin/sh\n: > " + mark + "\n");
        Files.setPosixFilePermissions(create, PosixFilePermissions.fromString("rwx------"));

        assertThat(Tools.trace(PolicyWriter.ThenCreate.class, dir, List.of("-e", "trace=fsync"), create.toString()).said())
                .isEqualTo("CREATED");
        assertThat(mark).exists();
    }
}
