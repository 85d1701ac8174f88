// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.OpenShellRunnerError.Reason;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What the CLI has answered, read so that nothing that is cut or malformed passes for an answer. */
final class Answer {

    private static final StrictJson.Limits LIMITS =
            new StrictJson.Limits(64, CapturedOutput.MAX_BYTES, CapturedOutput.MAX_BYTES, CapturedOutput.MAX_BYTES,
                    CapturedOutput.MAX_BYTES);

    private final OpenShellRunOutcome outcome;

    Answer(OpenShellRunOutcome outcome) {
        this.outcome = outcome;
    }

    OpenShellRunnerError unreadable() {
        return OpenShellRunnerError.answered(Reason.UNREADABLE_ANSWER, "", outcome);
    }

    /** Whether standard error says that the thing asked for is not there, whatever the report's frame wraps around. */
    boolean saysNotFound() {
        String plain = outcome.stderr().text().replaceAll("[\\u2500-\\u257F\\u25B6\\u00D7]", " ").replaceAll("\\s+", " ");
        return outcome.stdout().totalBytes() == 0 && plain.contains("not found");
    }

    /** The JSON object on standard output of a run that succeeded. */
    JsonValue json() {
        try {
            JsonValue root = StrictJson.read(succeeded(outcome.stdout()), LIMITS);
            if (root.kind() == JsonValue.Kind.OBJECT) {
                return root;
            }
        } catch (StrictJson.Unreadable e) {
            // Refused below, with everything else that is no answer.
        }
        throw unreadable();
    }

    /** The lines on standard output of a run that succeeded. */
    List<String> lines() {
        return succeeded(outcome.stdout()).lines().toList();
    }

    /** The lines on standard error of a run that succeeded. */
    List<String> errorLines() {
        return succeeded(outcome.stderr()).lines().toList();
    }

    private String succeeded(CapturedOutput output) {
        if (outcome.exitCode() != 0 || !outcome.captured() || output.truncated()) {
            throw unreadable();
        }
        String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(output.bytes())).toString();
        } catch (CharacterCodingException e) {
            throw unreadable();
        }
        if (!text.isEmpty() && !text.endsWith("\n")) {
            throw unreadable();
        }
        return text;
    }
}
