// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static io.github.openshellruntime.Answers.assertCallFailed;
import static io.github.openshellruntime.Answers.assertUnreadable;
import static io.github.openshellruntime.Answers.outcome;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.openshellruntime.RealmState.PolicyInForce;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What get has answered: a state, or an error that says why not. */
@DisplayName("RealmState and SandboxPhase")
class RealmStateTest {

    private static RealmState read(String stdout) {
        return RealmState.of(outcome(0, stdout, ""));
    }

    /** A state with one more field. */
    private static RealmState with(String field) {
        return read("{\"phase\":\"Ready\"," + field + "}\n");
    }

    private static void assertNotRead(String why, OpenShellRunOutcome outcome) {
        assertUnreadable(why, () -> RealmState.of(outcome));
        assertUnreadable(why, () -> SandboxPhase.of(outcome));
    }

    private static void assertNotRead(String why, String stdout) {
        assertNotRead(why, outcome(0, stdout, ""));
    }

    @Test
    @DisplayName("a realm that is ready: phase, labels, time, policy")
    void ready_isRead() {
        RealmState state = read(Answers.text("get-ready.json"));

        assertThat(state.phase()).isEqualTo(SandboxPhase.READY);
        assertThat(state.labels()).containsExactly(Map.entry("managed-by", "openshell-runtime"), Map.entry("owner", "d-1"));
        assertThat(state.createdAt()).contains(Instant.parse("2026-12-01T03:42:13Z"));
        assertThat(state.exitCode()).isEmpty();
        assertThat(state.policy(Answers.document())).isEqualTo(PolicyInForce.SAME);
        assertThat(state).hasToString("RealmState[phase=READY, labels=2, policyShown=true]");
        assertThatThrownBy(() -> state.labels().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> state.policy(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> RealmState.of(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> SandboxPhase.of(null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    @DisplayName("a realm that is absent has nothing else")
    void absent_isEmpty() {
        RealmState state = RealmState.of(outcome(1, "", Answers.text("get-absent.txt")));

        assertThat(state.phase()).isEqualTo(SandboxPhase.ABSENT);
        assertThat(state.labels()).isEmpty();
        assertThat(state.createdAt()).isEmpty();
        assertThat(state.exitCode()).isEmpty();
        assertThat(state.policy(Answers.document())).isEqualTo(PolicyInForce.NOT_SHOWN);
        assertThatThrownBy(() -> state.policy(null)).isInstanceOf(NullPointerException.class);
    }

    @ParameterizedTest(name = "phase \"{0}\" is {1}")
    @CsvSource({"Provisioning,PROVISIONING", "Ready,READY", "READY,READY", "ready,READY", "rEADY,READY",
        "Completed,COMPLETED", "Error,ERROR", "Starting,STARTING", "STARTING,STARTING", "Stopping,STOPPING",
        "Stopped,STOPPED", "Suspending,SUSPENDING", "Suspended,SUSPENDED", "Resuming,RESUMING", "Deleting,DELETING",
        "Unknown,UNKNOWN", "Hibernating,UNKNOWN", "'',UNKNOWN", "Absent,UNKNOWN", "ABSENT,UNKNOWN", "'Ready ',UNKNOWN",
        "' Ready',UNKNOWN", "SANDBOX_PHASE_READY,UNKNOWN", "\u017ftarting,UNKNOWN", "\uff32eady,UNKNOWN",
        "Prov\u0131s\u0131on\u0131ng,UNKNOWN"})
    void phase_isRead(String phase, SandboxPhase expected) {
        OpenShellRunOutcome get = outcome(0, "{\"new\":{\"a\":[1]},\"phase\":\"" + phase + "\",\"id\":null}\n", "a warning");

        assertThat(SandboxPhase.of(get)).isEqualTo(expected).hasToString(expected.name());
        assertThat(RealmState.of(get).phase()).isEqualTo(expected);
    }

    @Test
    @DisplayName("a proper prefix of an answer is never read, but for its last white space")
    void prefix_isNeverRead() {
        for (String name : List.of("get-ready.json", "get-deny-all.json", "get-global.json")) {
            String answer = Answers.text(name);
            assertThat(read(answer).phase()).isEqualTo(SandboxPhase.READY);
            for (int length = 0; length < answer.stripTrailing().length(); length++) {
                assertNotRead("", answer.substring(0, length));
                assertNotRead("", answer.substring(0, length) + "\n");
            }
            assertNotRead("no line end", answer.stripTrailing());
        }
    }

    @Test
    @DisplayName("a line before or behind the JSON makes it unreadable; blank lines and standard error do not")
    void strayLine_isUnreadable() {
        String answer = Answers.text("get-ready.json");
        RealmState expected = read(answer);
        for (String line : Answers.STRAY_LINES) {
            assertNotRead("not JSON", line + "\n" + answer);
            assertNotRead("unexpected line", answer + line + "\n");
            assertNotRead("no line end", answer + line);
            assertThat(RealmState.of(outcome(0, answer, line + "\n"))).isEqualTo(expected);
        }
        assertThat(read(" \t\r\n\n" + answer + "\n \r\n")).isEqualTo(expected);
        assertThat(RealmState.of(outcome(0, CapturedOutput.ofText(answer),
                Answers.truncated("a warn")))).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {"not JSON|[]", "not JSON|\"Ready\"", "not JSON|null",
        "not JSON|Ready", "not JSON|{\"phase\":\"Ready\",}", "not JSON|{\"phase\":'Ready'}",
        "not JSON|{\"phase\":\"Ready\"/**/}", "not JSON|{\"phase\":\"Re\u0001ady\"}",
        "not JSON|{\"phase\":\"\\u00\u0136\u0131\"}",
        "unexpected line|{\"phase\":\"Ready\"} {}", "not JSON|\ufeff{\"phase\":\"Ready\"}", "no phase|{}",
        "no phase|{\"Phase\":\"Ready\"}", "no phase|{\"status\":{\"phase\":\"Ready\"}}", "another type|{\"phase\":1}",
        "another type|{\"phase\":null}", "another type|{\"phase\":{}}", "another type|{\"phase\":[\"Ready\"]}",
        "phase twice|{\"phase\":\"Ready\",\"phase\":\"Ready\"}",
        "phase twice|{\"phase\":\"Ready\",\"ph\\u0061se\":\"Error\"}",
        "labels twice|{\"phase\":\"Ready\",\"labels\":{},\"labels\":{}}",
        "policy twice|{\"phase\":\"Ready\",\"policy\":{},\"policy\":{}}",
        "policy_source twice|{\"phase\":\"Ready\",\"policy_source\":\"sandbox\",\"policy_source\":\"sandbox\"}",
        "another type|{\"phase\":\"Ready\",\"labels\":null}", "another type|{\"phase\":\"Ready\",\"labels\":[]}",
        "another type|{\"phase\":\"Ready\",\"labels\":\"a=b\"}", "another type|{\"phase\":\"Ready\",\"labels\":{\"a\":1}}",
        "another type|{\"phase\":\"Ready\",\"labels\":{\"a\":\"b\",\"c\":null}}",
        "a name twice|{\"phase\":\"Ready\",\"labels\":{\"a\":\"b\",\"a\":\"b\"}}"})
    void noAnswer_isUnreadable(String why, String stdout) {
        assertNotRead(why, stdout + "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", " \n", "\n\n"})
    @DisplayName("exit 0 with nothing is unreadable")
    void nothing_isUnreadable(String stdout) {
        assertNotRead("", stdout);
    }

    @Test
    @DisplayName("what is not captured, truncated or not UTF-8 is unreadable, in this order")
    void partOfAnAnswer_isUnreadable() {
        String answer = Answers.text("get-ready.json");
        byte[] latin = answer.getBytes(StandardCharsets.UTF_8);
        latin[latin.length - 3] = (byte) 0xE9;

        assertNotRead("truncated", outcome(0, Answers.truncated(answer), CapturedOutput.EMPTY));
        assertNotRead("truncated", outcome(0, CapturedOutput.ofText(" ".repeat(262_144) + answer), CapturedOutput.EMPTY));
        assertNotRead("not UTF-8", outcome(0, CapturedOutput.of(latin), CapturedOutput.EMPTY));
        for (int exitCode : new int[] {0, 1, 2, 137}) {
            assertNotRead("not captured", OpenShellRunOutcome.discarded(exitCode, Duration.ZERO));
        }
    }

    @Test
    @DisplayName("answers are read 64 deep and no deeper; the other limits of a config do not apply")
    void answer_isReadDeep() {
        assertThat(with("\"a\":" + "[".repeat(63) + "]".repeat(63)).phase()).isEqualTo(SandboxPhase.READY);
        assertNotRead("64 levels", "{\"a\":" + "[".repeat(64) + "]".repeat(64) + ",\"phase\":\"Ready\"}\n");
        assertThat(with("\"" + "k".repeat(1_000) + "\":\"" + "s".repeat(140_000) + "\"").phase())
                .isEqualTo(SandboxPhase.READY);
        assertThat(with("\"n\":[" + "0,".repeat(50_000) + "1".repeat(1_000) + "]").phase()).isEqualTo(SandboxPhase.READY);
    }

    @Test
    @DisplayName("an answer beside any other exit code is a call that failed")
    void otherExitCode_isAFailedCall() {
        for (int exitCode = 1; exitCode <= 255; exitCode++) {
            OpenShellRunOutcome get = outcome(exitCode, Answers.text("get-ready.json"), "Error: sandbox not found\n");
            assertCallFailed(get, () -> RealmState.of(get));
            assertCallFailed(get, () -> SandboxPhase.of(get));
        }
    }

    @Test
    @DisplayName("no message and no toString holds anything of the answer")
    void answer_isNotShown() {
        String mark = "Zq7Tr0ub4dor";
        for (String stdout : List.of(mark + "\n", "{\"" + mark + "\":1}\n", "{\"phase\":[\"" + mark + "\"]}\n", mark,
                "{\"phase\":\"" + mark + "\",\"labels\":{\"" + mark + "\":1}}\n", "{} " + mark + "\n",
                "{\"phase\":\"" + mark + "\",\"labels\":{\"" + mark + "\":\"\",\"" + mark + "\":\"\"}}\n")) {
            for (int exitCode : new int[] {0, 1}) {
                assertThatThrownBy(() -> RealmState.of(outcome(exitCode, stdout, mark + "\n")))
                        .isInstanceOf(OpenShellRunnerError.class).hasMessageNotContaining(mark);
            }
        }
        assertThat(with("\"labels\":{\"" + mark + "\":\"" + mark + "\"},\"policy\":{\"" + mark + "\":1}").toString())
                .doesNotContain(mark);
    }

    @ParameterizedTest(name = "created_at {0} is {1}")
    @CsvSource(quoteCharacter = '`', value = {"\"2026-12-01 01:39:43\",2026-12-01T01:39:43Z",
        "\"2026-12-01T01:39:43Z\",2026-12-01T01:39:43Z", "\"2026-12-01t01:39:43z\",2026-12-01T01:39:43Z",
        "\"2026-12-01T01:39:43.5Z\",2026-12-01T01:39:43.500Z",
        "\"2026-12-01T01:39:43.123456789012Z\",2026-12-01T01:39:43.123456789Z",
        "\"2026-12-01T01:39:43+02:00\",2026-11-30T23:39:43Z", "\"2026-12-01T01:39:43-00:00\",2026-12-01T01:39:43Z",
        "\"2026-12-01 01:39:43Z\",2026-12-01T01:39:43Z", "\"2028-02-29 00:00:00\",2028-02-29T00:00:00Z",
        "\"2026-02-29 00:00:00\",", "\"2026-12-01T01:39:43\",", "\"2026-12-01T01:39Z\",", "\"2026-12-01T01:39:43+02\",",
        "\"2026-12-01 01:39\",", "\"2026-12-01\",", "\"2026-12-01 01:39:43 \",", "\" 2026-12-01 01:39:43\",",
        "\"2026-12-01 01:39:43.5\",", "\"2026-12-01 24:00:00\",", "\"2026-13-01 01:39:43\",", "\"+2026-12-01T01:39:43Z\",",
        "\"\",", "\"yesterday\",", "1764553183,", "null,", "{},", "\"2026-12-01 01:39:43\\n\",",
        "\"\u0662\u0660\u0662\u0666-12-01 01:39:43\","})
    void createdAt_isRead(String value, Instant expected) {
        assertThat(with("\"created_at\":" + value).createdAt().orElse(null)).isEqualTo(expected);
    }

    @ParameterizedTest(name = "exit_code {0} is {1}")
    @CsvSource(quoteCharacter = '`', value = {"0,0", "137,137", "-1,-1", "2147483647,2147483647", "2147483648,",
        "99999999999999999999,", "1.0,", "1e2,", "\"1\",", "null,", "true,", "[1],"})
    void exitCode_isRead(String value, Integer expected) {
        assertThat(with("\"exit_code\":" + value).exitCode().stream().boxed().findFirst().orElse(null)).isEqualTo(expected);
    }

    @Test
    @DisplayName("a time or an exit code that is given twice is none; so is one that is not given")
    void optionalField_twice() {
        String time = "\"created_at\":\"2026-12-01 01:39:43\"";
        RealmState twice = with("\"exit_code\":0,\"exit_code\":0," + time + "," + time);

        assertThat(twice.exitCode()).isEmpty();
        assertThat(twice.createdAt()).isEmpty();
        assertThat(twice).isEqualTo(read("{\"phase\":\"Ready\"}\n"))
                .hasToString("RealmState[phase=READY, labels=0, policyShown=false]");
    }

    @Test
    @DisplayName("states are equal when phase, labels, time, exit code and policy are; other fields do not count")
    void states_areValues() {
        String answer = Answers.text("get-ready.json");
        RealmState state = read(answer);

        for (String same : List.of(answer, answer.replace("  ", ""), answer.replace("\"revision\": 1", "\"revision\": 2"))) {
            assertThat(read(same)).isEqualTo(state).hasSameHashCodeAs(state);
        }
        for (String other : List.of(answer.replace("Ready", "Error"), answer.replace("d-1", "d-2"),
                answer.replace("03:42:13", "03:42:14"),
                answer.replace("\"revision\"", "\"exit_code\""), answer.replace("/tmp", "/temp"),
                        answer.replace("\"sandbox\"", "\"global\""))) {
            assertThat(read(other)).isNotEqualTo(state);
        }
        assertThat(state).isNotEqualTo("x").isNotEqualTo(null);
    }
}
