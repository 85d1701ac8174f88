// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static io.github.openshellruntime.Answers.assertCallFailed;
import static io.github.openshellruntime.Answers.assertUnreadable;
import static io.github.openshellruntime.Answers.outcome;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A failed get is ABSENT by the message of its report alone, and a failed create found its name taken likewise. */
@DisplayName("Reports of the CLI")
class CliReportTest {

    private static final String CODE = "Error:   \u00d7 code: 'Some requested entity was not found', message: ";

    /** Reports that say what is expected; {@code #} stands for the predicate. */
    private static final List<String> SAID = List.of(
            "Error:   \u00d7 sandbox 'realm-a' #\n", "Error:   \u00d7 sandbox #\n\n", "Error: sandbox #\n",
            "Error: sandbox \"realm-a\" #\n", "Error:   \u00d7 sandbox 'no realm: \u00e9' #\r\n",
            "Error:   \u00d7 sandbox 'realm-a' #\n  \u2502 \n  \u2502 hint: delete it\n  \u2502       first\n\n",
            "Error:   \u00d7 sandbox #\n  hint: look elsewhere", "Error:   \u00d7 sandbox 'realm-a'\n  \u2502 #\n",
            "a warning\nError:   \u00d7 sandbox #\n", "openshell: Error: is coming\n\nError:   \u00d7 sandbox #\n",
            CODE + "\"sandbox #\"", CODE + "\"sandbox #\"\n\n", CODE + "\"sandbox 'realm-a' #\"\n",
            CODE + "\"sandbox \\\"realm-a\\\" #\"\n", CODE + "\"sandbox\n  \u2502 'realm-a' #\"\n",
            CODE + "\"sandbox #\", source: transport error: message: \"x\"\n",
            CODE + "\"sandbox #\",\n  \u2502 details: [], metadata: MetadataMap { headers: {} }\n",
            "Error:   \u00d7 status: NotFound, message: \"sandbox #\", details: []\n",
            "Error:   \u00d7 cannot look\n  \u2570\u2500\u25b6 code: 'x', message: \"sandbox\n      #\"\n",
            "code: 'Some requested entity was not found', message: \"sandbox #\"\n", "message: \"sandbox #\"");

    /** Reports that say something else. */
    private static final List<String> NOT_SAID = List.of("", "\n", "sandbox #\n", "sandbox 'realm-a' #\n", "Error:\n",
            "Error: #\n", "error: sandbox #\n", "  Error sandbox #\n", "Error: sandbox#\n", "Error: Sandbox #\n",
            "Error: a sandbox #\n", "Error: image for sandbox #\n", "Error: workspace 'x' #\n",
            "Error: workspace 'x' of sandbox #\n", "Error: sandbox realm-a #\n", "Error: sandbox '' #\n",
            "Error: sandbox 'a' 'b' #\n", "Error: sandbox 'a' or 'b' #\n", "Error: sandbox 'a\" #\n",
            "Error: sandbox 'a'#\n", "Error: sandbox # in the cache\n", "Error: sandbox #\n  \u2502 in the cache\n",
            "Error: sandbox #\nin the cache\n", "Error: sandbox #: x\n", "Error: sandbox #.\n",
            "Error: sandbox #, code: 5\n", "Error: sandbox # hint: x\n", "Error: sandbox #\nhints: x\n",
            "Error: sandbox #hint: x\n", "Error: sandbox #\n  help: x\n", "Error: sandbox #\n hint\n",
            "Error: sandbox is #\n", "Error: sandbox not #\n", "Error: \"sandbox #\"\n",
            "Error: sandbox #\nError: transport error\n", "Error: transport error\nError: sandbox #\n",
            "Error:   \u00d7 cannot look\n  \u2570\u2500\u25b6 sandbox #\n", CODE + "sandbox #\n", CODE + "'sandbox #'\n",
            CODE + "\"sandbox #\n", CODE + "\"sandbox # in the cache\"\n", CODE + "\"sandbox #: x\"\n",
            CODE + "\"sandbox #.\"\n", CODE + "\"workspace 'x' #\"\n", CODE + "\"image for sandbox #\"\n",
            CODE + "\" sandbox #\"\n", CODE + "\"sandbox # \"\n", CODE + "\"sandbox #\" in the cache\n",
            CODE + "\"sandbox #\"\n  \u2502 hint: x\n", CODE + "\"sandbox #\"\nError: transport error\n",
            CODE + "\"sandbox #\" source: x\n", CODE + "\"sandbox #\", sour",
            CODE + "\"provider 'x' #\", source: message: \"sandbox #\"\n", CODE + "\"x\", message: \"sandbox #\"\n",
            CODE + "\"it said message: \"sandbox #\"\"\n", CODE + "\"it said, message: \\\"sandbox #\\\"\"\n",
            CODE + "\"\"\nError: sandbox #\n", "Error: sandbox #, message: \"workspace 'x' #\"\n",
            "Error: the message: \"sandbox #\"\n");

    private static boolean isAbsent(String stderr) {
        OpenShellRunOutcome get = outcome(1, "", stderr);
        try {
            assertThat(SandboxPhase.of(get)).isEqualTo(SandboxPhase.ABSENT);
            return true;
        } catch (OpenShellRunnerError e) {
            assertCallFailed(get, () -> RealmState.of(get));
            return false;
        }
    }

    private static boolean isTaken(int exitCode, String stdout, String stderr) {
        return CliAnswer.saysAlreadyExists(outcome(exitCode, stdout, stderr));
    }

    @ParameterizedTest
    @FieldSource("SAID")
    @DisplayName("said, whatever the report's frame wraps around")
    void said_isRead(String report) {
        assertThat(isAbsent(report.replace("#", "not found"))).isTrue();
        assertThat(isAbsent(report.replace("#", "not\n  \u2502 found"))).isTrue();
        assertThat(isAbsent(report.replace("#", "already exists"))).isFalse();
        assertThat(isTaken(1, "", report.replace("#", "already exists"))).isTrue();
        assertThat(isTaken(1, "", report.replace("#", "already\n  \u2502 exists"))).isTrue();
        assertThat(isTaken(1, "", report.replace("#", "not found"))).isFalse();
    }

    @ParameterizedTest
    @FieldSource("NOT_SAID")
    @DisplayName("not said: another thing, another place, a message that goes on")
    void notSaid_isAFailedCall(String report) {
        assertThat(isAbsent(report.replace("#", "not found"))).isFalse();
        assertThat(isTaken(1, "", report.replace("#", "already exists"))).isFalse();
    }

    @Test
    @DisplayName("the real texts: an absent realm, and what only looks like one")
    void realTexts_areRead() {
        assertThat(isAbsent(Answers.text("get-absent.txt"))).isTrue();
        assertThat(isAbsent(Answers.text("get-no-workspace.txt"))).isFalse();
        assertThat(isAbsent(Answers.text("get-no-gateway.txt"))).isFalse();
        assertThat(isAbsent(Answers.text("create-already-exists.txt"))).isFalse();
        assertThat(isTaken(1, "", Answers.text("create-already-exists.txt"))).isTrue();
        for (String other : List.of("get-absent.txt", "get-no-workspace.txt", "get-no-gateway.txt")) {
            assertThat(isTaken(1, "", Answers.text(other))).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.39' not found (required by openshell)\n",
        "openshell: error while loading shared libraries: libssl.so.3: cannot open shared object file\n",
        "sh: 1: openshell: not found\n", "Error:   \u00d7 Unknown gateway ''\n",
        "Error:   \u00d7 gateway 'sandbox' not found\n", "Error:   \u00d7 No active gateway\n",
        "Error:   \u00d7 provider 'x' of sandbox not found\n",
        "Error:   \u00d7 code: 'Some requested entity was not found', message: \"provider 'x' not found\"\n",
        "Error:   \u00d7 code: 'Some requested entity was not found'\n",
        "Error:   \u00d7 code: 'The service is currently unavailable', message: \"\"\n"})
    @DisplayName("not found, but not a sandbox: a call that failed")
    void otherThing_isNotFound(String stderr) {
        assertThat(isAbsent(stderr)).isFalse();
    }

    @Test
    @DisplayName("ABSENT wants exit 1, nothing at all on standard output, and the whole of standard error")
    void absence_wantsAll() {
        for (String report : SAID) {
            String stderr = report.replace("#", "not found");
            for (int exitCode = 2; exitCode <= 255; exitCode++) {
                OpenShellRunOutcome get = outcome(exitCode, "", stderr);
                assertCallFailed(get, () -> SandboxPhase.of(get));
            }
            assertUnreadable("no line end", () -> SandboxPhase.of(outcome(0, "", stderr)));
            assertUnreadable("not captured", () -> SandboxPhase.of(OpenShellRunOutcome.discarded(1, Duration.ZERO)));
            for (String stdout : Stream.concat(Answers.STRAY_LINES.stream().map(line -> line + "\n"), Stream.of(" ",
                    "\n")).toList()) {
                OpenShellRunOutcome get = outcome(1, stdout, stderr);
                assertCallFailed(get, () -> SandboxPhase.of(get));
            }
            for (OpenShellRunOutcome part : List.of(outcome(1, CapturedOutput.EMPTY, Answers.truncated(stderr)),
                    outcome(1, Answers.truncated(""), CapturedOutput.ofText(stderr)))) {
                assertCallFailed(part, () -> SandboxPhase.of(part));
            }
        }
    }

    @Test
    @DisplayName("a name is taken with any exit code but 0 and whatever create printed before; never by half a report")
    void taken_withAnyCode() {
        String report = Answers.text("create-already-exists.txt");
        for (int exitCode = 0; exitCode <= 255; exitCode++) {
            assertThat(isTaken(exitCode, "\nCreated sandbox: realm-a\n", report)).isEqualTo(exitCode != 0);
        }
        assertThat(CliAnswer.saysAlreadyExists(outcome(1, Answers.truncated("x"), CapturedOutput.ofText(report)))).isTrue();
        assertThat(CliAnswer.saysAlreadyExists(outcome(1, CapturedOutput.EMPTY, Answers.truncated(report)))).isFalse();
        assertThat(CliAnswer.saysAlreadyExists(OpenShellRunOutcome.discarded(1, Duration.ZERO))).isFalse();
    }

    @ParameterizedTest
    @FieldSource("SAID")
    @DisplayName("a prefix is ABSENT only where it holds the whole message, its closing quote or its line end")
    void prefix_isNotAbsent(String report) {
        int predicate = report.indexOf('#');
        boolean coded = report.lastIndexOf("message: \"", predicate) >= 0;
        String text = report.replace("#", "not found");
        int end = predicate + "not found".length();
        end = coded ? end + 1 : text.indexOf('\n', end) + 1;
        for (int length = 0; length < end; length++) {
            assertThat(isAbsent(text.substring(0, length))).as("%d", length).isFalse();
        }
        assertThat(isAbsent(text.substring(0, end))).isTrue();
    }

    @Test
    @DisplayName("a prefix of the real texts is ABSENT, or taken, from the end of the message on and not before")
    void prefix_ofTheRealTexts() {
        String absent = Answers.text("get-absent.txt");
        int closed = absent.lastIndexOf('"') + 1;
        for (int length = 0; length <= absent.length(); length++) {
            assertThat(isAbsent(absent.substring(0, length))).as("%d", length).isEqualTo(length >= closed);
        }
        String taken = Answers.text("create-already-exists.txt");
        int ended = taken.indexOf('\n') + 1;
        int hint = taken.indexOf("hint:");
        for (int length = 0; length <= taken.length(); length++) {
            boolean inTheWordHint = length > hint && length < hint + "hint:".length();
            assertThat(isTaken(1, "", taken.substring(0, length))).as("%d",
                    length).isEqualTo(length >= ended && !inTheWordHint);
        }
        for (String other : List.of("get-no-workspace.txt", "get-no-gateway.txt")) {
            String text = Answers.text(other);
            for (int length = 0; length <= text.length(); length++) {
                assertThat(isAbsent(text.substring(0, length))).isFalse();
            }
        }
    }

    @Test
    @DisplayName("wrapped at any width it says the same")
    void wrapping_changesNothing() {
        List<String> texts = List.of("code: 'Some requested entity was not found', message: \"sandbox 'realm-a' not found\"",
                "sandbox 'realm-a' not found",
                "code: 'Some requested entity was not found', message: \"workspace 'x' not found\"",
                "workspace 'realm-a' for sandbox not found");
        for (String text : texts) {
            for (int width = 1; width <= text.length() + 1; width++) {
                assertThat(isAbsent("Error:   \u00d7 " + String.join("\n  \u2502 ", wrap(text, width)) + "\n\n"))
                        .as("%d: %s", width, text).isEqualTo(!text.contains("workspace"));
            }
        }
    }

    private static List<String> wrap(String text, int width) {
        List<String> lines = new ArrayList<>();
        String line = "";
        for (String word : text.split(" ")) {
            if (line.isEmpty() || line.length() + 1 + word.length() <= width) {
                line = line.isEmpty() ? word : line + " " + word;
            } else {
                lines.add(line);
                line = word;
            }
        }
        lines.add(line);
        return lines;
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "\n", "\u2502", "Error: ", "\nError: ", "message: \"", ", message: \"sandbox ", "sandbox '",
        "a", "'", "\n  \u2502 "})
    @Timeout(60)
    @DisplayName("a flood of anything is read without delay or recursion")
    void flood_isRead(String part) {
        String flood = part.repeat(CapturedOutput.MAX_BYTES / 4 / part.length());

        assertThat(isAbsent(flood)).isFalse();
        assertThat(isAbsent("Error: sandbox '" + flood)).isFalse();
        assertThat(isAbsent("message: \"sandbox '" + flood)).isFalse();
        assertThat(isAbsent("Error: sandbox not found" + flood + "x")).isFalse();
        assertThat(isAbsent("Error: sandbox not found\nhint: " + flood)).isEqualTo(!part.startsWith(", message"));
    }
}
