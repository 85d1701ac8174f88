// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.OpenShellRunnerError.Reason;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reads what the CLI has answered; nothing cut or malformed passes for an answer. */
final class CliAnswer {

    private static final int DEPTH = 64;

    private static final JsonReader.Limits LIMITS = new JsonReader.Limits(DEPTH, CapturedOutput.MAX_BYTES,
            CapturedOutput.MAX_BYTES, CapturedOutput.MAX_BYTES, CapturedOutput.MAX_BYTES);

    private final OpenShellRunOutcome outcome;

    private CliAnswer(OpenShellRunOutcome outcome) {
        this.outcome = outcome;
    }

    /** @throws OpenShellRunnerError for a discarding run: without an output its exit code says nothing */
    static CliAnswer of(OpenShellRunOutcome outcome) {
        CliAnswer answer = new CliAnswer(outcome);
        if (!outcome.captured()) {
            throw answer.unreadable("its output was not captured; run get and list with OpenShellRunOptions.capturing");
        }
        return answer;
    }

    /** Whether a create failed because the name is taken. What it printed on standard output before says nothing. */
    static boolean saysAlreadyExists(OpenShellRunOutcome ofCreate) {
        return ofCreate.exitCode() != 0 && !ofCreate.stderr().truncated()
                && CliReport.ALREADY_EXISTS.isIn(ofCreate.stderr().text());
    }

    /** Whether a get failed because there is no such sandbox, and for no other reason. */
    boolean saysAbsent() {
        return outcome.exitCode() == 1 && outcome.stdout().totalBytes() == 0 && !outcome.stderr().truncated()
                && CliReport.NOT_FOUND.isIn(outcome.stderr().text());
    }

    /** The JSON object on standard output of a call that succeeded. */
    JsonValue object() {
        String text = text("standard output", outcome.stdout());
        if (text.isEmpty()) {
            throw unreadable("standard output is empty, so it has no line end");
        }
        try {
            JsonValue root = JsonReader.read(text, LIMITS);
            if (root.kind() == JsonValue.Kind.OBJECT) {
                return root;
            }
        } catch (JsonReader.Unreadable e) {
            throw unreadable(switch (e.rule) {
                case TRAILING -> "standard output is not JSON alone: it has an unexpected line behind it";
                case LIMIT -> "standard output is not JSON of at most " + DEPTH + " levels";
                default -> "standard output is not JSON";
            });
        }
        throw unreadable("standard output is not JSON of one object");
    }

    /** A document of this library, read as an answer is. */
    static JsonValue json(PolicyDocument written) {
        try {
            return JsonReader.read(written.json(), LIMITS);
        } catch (JsonReader.Unreadable e) {
            throw new IllegalStateException("a document of this library is JSON");
        }
    }

    /** The lines on standard output of a call that succeeded. */
    List<String> lines() {
        return split(text("standard output", outcome.stdout()));
    }

    /** The lines on standard error of a call that succeeded. */
    List<String> errorLines() {
        return split(text("standard error", outcome.stderr()));
    }

    /** An answer that is not believed, and why, in words that hold none of it. */
    OpenShellRunnerError unreadable(String why) {
        return OpenShellRunnerError.answered(Reason.UNREADABLE_ANSWER, ": " + why, outcome);
    }

    private String text(String stream, CapturedOutput output) {
        if (outcome.exitCode() != 0) {
            throw OpenShellRunnerError.answered(Reason.CALL_FAILED, "", outcome);
        }
        if (output.truncated()) {
            throw unreadable(stream + " was truncated");
        }
        String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(output.bytes())).toString();
        } catch (CharacterCodingException e) {
            throw unreadable(stream + " is not UTF-8");
        }
        if (!text.isEmpty() && !text.endsWith("\n")) {
            throw unreadable(stream + " has no line end");
        }
        return text;
    }

    // Not String.lines(): a carriage return is no line end of the CLI.
    private static List<String> split(String text) {
        return text.isEmpty() ? List.of() : List.of(text.substring(0, text.length() - 1).split("\n", -1));
    }
}
