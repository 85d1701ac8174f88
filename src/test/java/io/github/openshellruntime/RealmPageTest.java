// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static io.github.openshellruntime.Answers.assertCallFailed;
import static io.github.openshellruntime.Answers.assertUnreadable;
import static io.github.openshellruntime.Answers.outcome;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What list has answered: a page of names, or an error that says why not. */
@DisplayName("RealmPage")
class RealmPageTest {

    private static final String TOKEN = "Next page token: abc\n";

    private static RealmPage read(String stdout, String stderr) {
        return RealmPage.of(outcome(0, stdout, stderr));
    }

    @Test
    @DisplayName("a page has our sessions, the names that are not ours, and the next token")
    void page_isRead() {
        String names = Answers.text("list-names.txt") + "realm\nrealm-c--c\nrealm-abcdefghijklmn\n0\n";
        RealmPage page = read(names, "openshell stand-in\nNext page token: --to ken==\nmore\n");

        assertThat(page.sessions()).containsExactly(SessionId.of("a"), SessionId.of("b-1"));
        assertThat(page.others()).containsExactly("stranger", "realm", "realm-c--c", "realm-abcdefghijklmn", "0");
        assertThat(page.nextPageToken()).contains("--to ken==");
        assertThatThrownBy(() -> page.sessions().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> page.others().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> RealmPage.of(null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    @DisplayName("pages are equal when names and token are; toString shows no token and no stranger's name")
    void pages_areValues() {
        String names = Answers.text("list-names.txt");
        RealmPage page = read(names, TOKEN);

        assertThat(page).isEqualTo(read(names, "a warning\n" + TOKEN)).hasSameHashCodeAs(read(names, TOKEN))
                .hasToString("RealmPage[sessions=[a, b-1], others=1, more=true]");
        assertThat(page).isNotEqualTo(read(names, "")).isNotEqualTo(read(names + "x\n", TOKEN))
                .isNotEqualTo(read(names, TOKEN.replace("abc", "abd"))).isNotEqualTo(read("", TOKEN)).isNotEqualTo("x");
    }

    @Test
    @DisplayName("exit 0 with nothing is an empty page")
    void page_isEmpty() {
        assertThat(read("", "").sessions()).isEmpty();
        assertThat(read("", "").others()).isEmpty();
        assertThat(read("", "").nextPageToken()).isEmpty();
    }

    @Test
    @DisplayName("a prefix of a list is never an empty page, and never a name cut short")
    void prefix_isNeverEmpty() {
        String names = Answers.text("list-names.txt");
        for (int length = 1; length < names.length(); length++) {
            String prefix = names.substring(0, length);
            if (prefix.endsWith("\n")) {
                RealmPage page = read(prefix, "");
                assertThat(page.sessions().size() + page.others().size()).isPositive()
                        .isEqualTo((int) prefix.lines().count());
            } else {
                assertUnreadable("no line end", () -> read(prefix, ""));
            }
        }
        for (int length = 1; length < TOKEN.length(); length++) {
            String prefix = TOKEN.substring(0, length);
            assertUnreadable("no line end", () -> read(names, prefix));
        }
    }

    @Test
    @DisplayName("a line that is no name, anywhere, makes the page unreadable")
    void strayLine_isUnreadable() {
        List<String> lines = Answers.text("list-names.txt").lines().toList();
        List<String> strays = new ArrayList<>(List.of("", " ", "\t", "No sandboxes found.", "NAME  CREATED  PHASE",
                "realm-a ", " realm-a", "realm-a  2026-12-01 03:42:13  Ready", "Realm-a", "-a", "a-", "-", "realm_a",
                "realm.a", "realm-a\r", "realm-a,realm-b", "\u001b[1mrealm-a\u001b[0m", "r\u00e9alm", "realm-\u0661",
                "realm-a\u0000", "realm-a\u2028realm-b",
                TOKEN.strip()));
        strays.addAll(Answers.STRAY_LINES);
        // These two are names.
        strays.removeAll(List.of("x", "null"));
        for (String stray : strays) {
            for (int at = 0; at <= lines.size(); at++) {
                List<String> mixed = new ArrayList<>(lines);
                mixed.add(at, stray);
                assertUnreadable("unexpected line", () -> read(String.join("\n", mixed) + "\n", ""));
            }
            assertUnreadable("unexpected line", () -> read(stray + "\n", ""));
        }
        assertUnreadable("unexpected line", () -> read(Answers.text("list-table.txt"), ""));
        assertUnreadable("unexpected line", () -> read(Answers.text("list-none.txt"), ""));
        assertUnreadable("unexpected line", () -> read(Answers.text("get-ready.json"), ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Next page token:", "Next page token: ", "Next page token:abc", "Next page token:  \u00e9",
        "next page token: abc", "Next Page Token: abc", " Next page token: abc", "  \u2502 Next page token: abc",
        "\u001b[2mNext page token: abc\u001b[0m", "Next page token: abc\r", "Next page token: a\u0000c",
        "Next page token = abc", "Next page  token: abc", "There is a next page token: abc", "nextPageToken=abc",
        "next_page_token: abc", "More: --page-token=abc", "page token", "PAGE-TOKEN", "{\"next_page_token\":\"abc\"}",
        "Next page token: abc\nNext page token: abc", "Next page token: abc\nuse --page-token", "Next page token: \u00e9"})
    @DisplayName("a line that speaks of a page token in another form makes the page unreadable")
    void otherToken_isUnreadable(String stderr) {
        assertUnreadable("page token", () -> read(Answers.text("list-names.txt"), stderr + "\n"));
        assertUnreadable("page token", () -> read("", "a warning\n" + stderr + "\nmore\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "a warning\n", "next page\n", "token: abc\n", "a page of tokens is a tokenised page\n",
        "\u001b[33m!\u001b[0m\n"})
    @DisplayName("other lines of standard error are ignored")
    void warning_isIgnored(String stderr) {
        assertThat(read(Answers.text("list-names.txt"), stderr).nextPageToken()).isEmpty();
        assertThat(read(Answers.text("list-names.txt"), stderr + TOKEN + stderr).nextPageToken()).contains("abc");
    }

    @Test
    @DisplayName("a token is as long as an argv takes it, and no longer")
    void token_isBounded() {
        String longest = "x".repeat(4_096);

        assertThat(read("", "Next page token: " + longest + "\n").nextPageToken()).contains(longest);
        assertUnreadable("page token", () -> read("", "Next page token: " + longest + "x\n"));
    }

    @Test
    @DisplayName("either stream cut, not UTF-8 or without its line end is unreadable; so is what was not captured")
    void partOfAnAnswer_isUnreadable() {
        CapturedOutput names = CapturedOutput.ofText(Answers.text("list-names.txt"));
        CapturedOutput latin = CapturedOutput.of(new byte[] {'r', (byte) 0xE9, '\n'});
        CapturedOutput open = CapturedOutput.ofText("warning");
        CapturedOutput cut = Answers.truncated("realm-a\n");

        assertUnreadable("standard output was truncated", () -> RealmPage.of(outcome(0, cut, CapturedOutput.EMPTY)));
        assertUnreadable("standard error was truncated", () -> RealmPage.of(outcome(0, names, cut)));
        assertUnreadable("standard output is not UTF-8", () -> RealmPage.of(outcome(0, latin, CapturedOutput.EMPTY)));
        assertUnreadable("standard error is not UTF-8", () -> RealmPage.of(outcome(0, names, latin)));
        assertUnreadable("standard output has no line end", () -> RealmPage.of(outcome(0, open, CapturedOutput.EMPTY)));
        assertUnreadable("standard error has no line end", () -> RealmPage.of(outcome(0, names, open)));
        for (int exitCode : new int[] {0, 1}) {
            assertUnreadable("not captured", () -> RealmPage.of(OpenShellRunOutcome.discarded(exitCode, Duration.ZERO)));
        }
    }

    @Test
    @DisplayName("any other exit code is a call that failed, whatever was printed")
    void otherExitCode_isAFailedCall() {
        for (int exitCode = 1; exitCode <= 255; exitCode++) {
            for (String stdout : List.of("", Answers.text("list-names.txt"), "realm-a")) {
                OpenShellRunOutcome list = outcome(exitCode, stdout, Answers.text("get-no-workspace.txt"));
                assertCallFailed(list, () -> RealmPage.of(list));
            }
        }
    }

    @Test
    @DisplayName("no message holds anything of the answer")
    void answer_isNotShown() {
        String mark = "Zq7Tr0ub4dor";
        for (String text : List.of(mark + "\n", mark, "Next page token: " + mark + "\n", "page token " + mark + "\n")) {
            assertThatThrownBy(() -> read(text,
                    "page token " + text)).isInstanceOf(OpenShellRunnerError.class).hasMessageNotContaining(mark);
            assertThatThrownBy(() -> read("realm-a\n",
                    "page token" + text)).isInstanceOf(OpenShellRunnerError.class).hasMessageNotContaining(mark);
        }
    }
}
