// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers to get and list: what was asked for, or an error. */
@DisplayName("SandboxPhase and RealmPage")
class AnswersTest {

    private static CapturedOutput output(byte[] bytes) {
        return new CapturedOutput(bytes, bytes.length);
    }

    private static OpenShellRunOutcome outcome(int exitCode, String stdout, String stderr) {
        return new OpenShellRunOutcome(exitCode, Duration.ofMillis(5), output(stdout.getBytes(StandardCharsets.UTF_8)),
                output(stderr.getBytes(StandardCharsets.UTF_8)), true);
    }

    private static void assertUnreadable(Runnable reading) {
        assertRefused(OpenShellRunnerError.Reason.UNREADABLE_ANSWER, reading);
    }

    private static void assertCallFailed(Runnable reading) {
        assertRefused(OpenShellRunnerError.Reason.CALL_FAILED, reading);
    }

    private static void assertRefused(OpenShellRunnerError.Reason reason, Runnable reading) {
        assertThatThrownBy(reading::run).isInstanceOfSatisfying(OpenShellRunnerError.class, e -> {
            assertThat(e.kind()).isEqualTo(OpenShellRunnerError.Kind.FAILED);
            assertThat(e.reason()).isEqualTo(reason);
        }).hasNoCause();
    }

    /** An answer of the real 0.0.111. */
    private static String realAnswer() {
        try (InputStream in = AnswersTest.class.getResourceAsStream("get-answer.json")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest(name = "phase {0} is {1}")
    @CsvSource({"Provisioning,PROVISIONING", "Ready,READY", "READY,READY", "ready,READY", "Completed,COMPLETED", "Error,ERROR", "Starting,STARTING",
        "Stopping,STOPPING", "Stopped,STOPPED", "Deleting,DELETING", "Hibernating,UNKNOWN", "'',UNKNOWN", "Absent,UNKNOWN", "unknown,UNKNOWN", "Ready ,READY"})
    void phase_isRead(String phase, SandboxPhase expected) {
        assertThat(SandboxPhase.of(outcome(0, "{\"new\":{\"a\":[1]},\"phase\":\"" + phase + "\",\"id\":null}\n", "a warning\n")))
                .isEqualTo(expected).hasToString(expected.name());
    }

    @Test
    @DisplayName("a real answer is read, and each prefix of it is an error")
    void phase_ofEachPrefix() {
        String answer = realAnswer();
        assertThat(SandboxPhase.of(outcome(0, answer, ""))).isEqualTo(SandboxPhase.READY);
        for (int length = 0; length < answer.length(); length++) {
            String prefix = answer.substring(0, length);
            assertUnreadable(() -> SandboxPhase.of(outcome(0, prefix, "")));
        }
    }

    @ParameterizedTest(name = "no answer to get: {0}")
    @ValueSource(strings = {"\n", "[]\n", "\"Ready\"\n", "null\n", "{}\n", "{\"phase\":1}\n", "{\"phase\":null}\n", "{\"phase\":{}}\n",
        "{\"phase\":\"Ready\",\"phase\":\"Error\"}\n", "{\"phase\":\"Ready\"} {}\n", "{\"phase\":\"Ready\"}", "log line\n{\"phase\":\"Ready\"}\n",
        "{\"phase\":\"Ready\",}\n", "{\"status\":{\"phase\":\"Ready\"}}\n", "\u001b[1m{\"phase\":\"Ready\"}\n", "Ready\n"})
    void phase_ofNoAnswer(String stdout) {
        assertUnreadable(() -> SandboxPhase.of(outcome(0, stdout, "")));
    }

    @Test
    @DisplayName("answers are read 64 deep and no deeper")
    void phase_isReadDeep() {
        assertThat(SandboxPhase.of(outcome(0, "{\"a\":" + "[".repeat(63) + "]".repeat(63) + ",\"phase\":\"Ready\"}\n", "")))
                .isEqualTo(SandboxPhase.READY);
        assertUnreadable(() -> SandboxPhase.of(outcome(0, "{\"a\":" + "[".repeat(64) + "]".repeat(64) + ",\"phase\":\"Ready\"}\n", "")));
    }

    @ParameterizedTest(name = "ABSENT: {0}")
    @ValueSource(strings = {"Error:   \u00d7 code: 'Some requested entity was not found', message: \"sandbox not found\"\n",
        "Error:   \u00d7 sandbox 'realm-a' not\n  \u2502 found\n", "  \u2570\u2500\u25b6 status: NotFound, message: \"sandbox not\n      found\""})
    void phase_isAbsent(String stderr) {
        assertThat(SandboxPhase.of(outcome(1, "", stderr))).isEqualTo(SandboxPhase.ABSENT);
    }

    @Test
    @DisplayName("another failure of get is an error, and so is \"not found\" beside another exit code or an output")
    void phase_ofAFailedRun() {
        assertCallFailed(() -> SandboxPhase.of(outcome(1, "", "Error: transport error: Connection refused\n")));
        assertCallFailed(() -> SandboxPhase.of(outcome(2, "", "Error: sandbox not found\n")));
        assertUnreadable(() -> SandboxPhase.of(outcome(0, "", "Error: sandbox not found\n")));
        assertCallFailed(() -> SandboxPhase.of(outcome(1, "{\"phase\":\"Ready\"}\n", "Error: sandbox not found\n")));
        assertCallFailed(() -> SandboxPhase.of(outcome(1, "", "Error: nothing found\n")));
        assertCallFailed(() -> SandboxPhase.of(outcome(137, realAnswer(), "")));
    }

    @Test
    @DisplayName("what is truncated, not UTF-8, or of a discarding run is an error")
    void answers_thatAreNotWhole() {
        byte[] good = realAnswer().getBytes(StandardCharsets.UTF_8);
        CapturedOutput truncated = new CapturedOutput(good, good.length + 1);
        byte[] latin = good.clone();
        latin[good.length - 3] = (byte) 0xE9;
        CapturedOutput empty = CapturedOutput.EMPTY;
        for (OpenShellRunOutcome bad : List.of(new OpenShellRunOutcome(0, Duration.ZERO, truncated, empty, true),
                new OpenShellRunOutcome(0, Duration.ZERO, output(latin), empty, true),
                new OpenShellRunOutcome(0, Duration.ZERO, empty, empty, false))) {
            assertUnreadable(() -> SandboxPhase.of(bad));
            assertUnreadable(() -> RealmPage.of(bad));
        }
        assertUnreadable(() -> RealmPage.of(new OpenShellRunOutcome(0, Duration.ZERO, empty, truncated, true)));
    }

    @Test
    @DisplayName("a page has our sessions, the names that are not ours, and the next token")
    void page_isRead() {
        RealmPage page = RealmPage.of(outcome(0, "realm-a\nother\nrealm\nrealm-b-1\nrealm-c--c\nrealm-abcdefghijklmn\n",
                "openshell stand-in\nNext page token: --to ken==\nmore\n"));

        assertThat(page.sessions()).containsExactly(SessionId.of("a"), SessionId.of("b-1"));
        assertThat(page.others()).containsExactly("other", "realm", "realm-c--c", "realm-abcdefghijklmn");
        assertThat(page.nextPageToken()).contains("--to ken==");
        assertThat(page).isEqualTo(RealmPage.of(outcome(0, "realm-a\nother\nrealm\nrealm-b-1\nrealm-c--c\nrealm-abcdefghijklmn\n",
                "Next page token: --to ken==\n"))).hasToString("RealmPage[sessions=[a, b-1], others=4, more=true]");
        assertThat(page).isNotEqualTo(RealmPage.of(outcome(0, "", ""))).isNotEqualTo("x");
        assertThat(page.hashCode()).isNotZero();
        assertThatThrownBy(() -> page.sessions().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> page.others().clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    @DisplayName("exit 0 with nothing is an empty page")
    void page_isEmpty() {
        RealmPage page = RealmPage.of(outcome(0, "", ""));

        assertThat(page.sessions()).isEmpty();
        assertThat(page.others()).isEmpty();
        assertThat(page.nextPageToken()).isEmpty();
    }

    @Test
    @DisplayName("each prefix of a list that does not end in a line end is an error")
    void page_ofEachPrefix() {
        String answer = "realm-a\nrealm-b\nrealm-cccccccccc\n";
        for (int length = 1; length < answer.length(); length++) {
            String prefix = answer.substring(0, length);
            if (prefix.endsWith("\n")) {
                assertThat(RealmPage.of(outcome(0, prefix, "")).sessions()).hasSize((int) prefix.lines().count());
            } else {
                assertUnreadable(() -> RealmPage.of(outcome(0, prefix, "")));
            }
        }
        String token = "Next page token: abc\n";
        for (int length = 1; length < token.length(); length++) {
            String prefix = token.substring(0, length);
            assertUnreadable(() -> RealmPage.of(outcome(0, answer, prefix)));
        }
    }

    @ParameterizedTest(name = "no answer to list: exit {0}, {1}, {2}")
    @CsvSource(delimiter = '|', value = {"1|realm-a;|", "1||", "2||", "0|;|", "0|realm-a;;realm-b;|", "0|realm-a@;|", "0|realm-a;|Next page token: ;",
        "0|realm-a;|Next page token: a;Next page token: b;", "0|realm-a;|Next page token: \u00e9;", "137|realm-a;|"})
    void page_ofNoAnswer(int exitCode, String stdout, String stderr) {
        String out = stdout == null ? "" : stdout.replace(';', '\n').replace("@", "\u001b");
        String err = stderr == null ? "" : stderr.replace(';', '\n');
        assertRefused(exitCode == 0 ? OpenShellRunnerError.Reason.UNREADABLE_ANSWER : OpenShellRunnerError.Reason.CALL_FAILED,
                () -> RealmPage.of(outcome(exitCode, out, err)));
    }

    @Test
    @DisplayName("a token longer than an argv takes is an error")
    void page_withALongToken() {
        String longest = String.join("", Collections.nCopies(4_096, "x"));
        assertThat(RealmPage.of(outcome(0, "", "Next page token: " + longest + "\n")).nextPageToken()).contains(longest);
        assertUnreadable(() -> RealmPage.of(outcome(0, "", "Next page token: " + longest + "x\n")));
        assertThatThrownBy(() -> RealmPage.of(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> SandboxPhase.of(null)).isInstanceOf(NullPointerException.class);
        assertThat(Arrays.asList(SandboxPhase.values())).hasSize(13);
    }
}
