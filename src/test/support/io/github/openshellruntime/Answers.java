// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.openshellruntime.OpenShellRunnerError.Kind;
import io.github.openshellruntime.OpenShellRunnerError.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * Answers of the CLI. The texts in {@code answers/} are those of the real CLI 0.0.111, of a gateway that answered as that of
 * 0.0.112-dev was seen to do.
 */
final class Answers {

    /** Lines that the CLI or its libraries may print where none belongs. */
    static final List<String> STRAY_LINES = List.of("x", "{}", "null", "\"Ready\"", "}", ",", "\u001b[0m", "\u00a0",
            "\u2028", "2026-12-01T03:42:13.000Z  WARN openshell_cli: token refresh failed",
            "\u2192 Using sandbox 'realm-a' (last used)", "{\"phase\":\"Ready\"}", "Error: sandbox not found");

    private Answers() {
    }

    static String text(String name) {
        try (InputStream in = Answers.class.getResourceAsStream("answers/" + name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The document whose realm the texts show. */
    static PolicyDocument document() {
        return document("api.example.com:8443", "*.example.org:443", "*.example.org:8443");
    }

    static PolicyDocument document(String... entries) {
        return PolicyDocuments.render(
                RuntimeConfig.builder(List.of("/usr/bin/agent")).egressAllow(List.of(entries)).build().egressAllow(),
                "/usr/bin/agent");
    }

    static OpenShellRunOutcome outcome(int exitCode, String stdout, String stderr) {
        return outcome(exitCode, CapturedOutput.ofText(stdout), CapturedOutput.ofText(stderr));
    }

    static OpenShellRunOutcome outcome(int exitCode, CapturedOutput stdout, CapturedOutput stderr) {
        return OpenShellRunOutcome.captured(exitCode, Duration.ofMillis(5), stdout, stderr);
    }

    /** A text of which a byte more was seen than was kept. */
    static CapturedOutput truncated(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new CapturedOutput(bytes, bytes.length + 1);
    }

    /** @param why words of the message */
    static void assertUnreadable(String why, Runnable reading) {
        assertThatThrownBy(reading::run).isInstanceOfSatisfying(OpenShellRunnerError.class, e -> {
            assertThat(e.kind()).isEqualTo(Kind.FAILED);
            assertThat(e.reason()).isEqualTo(Reason.UNREADABLE_ANSWER);
        }).hasNoCause().hasMessageContaining(why);
    }

    static void assertCallFailed(OpenShellRunOutcome outcome, Runnable reading) {
        assertThatThrownBy(reading::run).isInstanceOfSatisfying(OpenShellRunnerError.class, e -> {
            assertThat(e.kind()).isEqualTo(Kind.FAILED);
            assertThat(e.reason()).isEqualTo(Reason.CALL_FAILED);
            assertThat(e.exitCode()).hasValue(outcome.exitCode());
            assertThat(e.stdout()).isEqualTo(outcome.stdout());
            assertThat(e.stderr()).isEqualTo(outcome.stderr());
            assertThat(e.elapsed()).isEqualTo(outcome.elapsed());
        }).hasNoCause();
    }
}
