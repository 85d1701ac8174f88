// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of documents: which rule, pointer and position the first problem has, or that there is none. */
@DisplayName("RT-01 config documents")
class ConfigCasesTest {

    static Stream<Arguments> rows() {
        return Cases.read("config-cases.jsonl").stream().map(row -> {
            String document = Cases.join(row.get("document"));
            String shown = document.length() > 60 ? document.substring(0, 60) + "..." : document;
            return Arguments.of(row.get("id").asText() + " " + row.get("rule").asText() + " " + Text.escaped(shown), row);
        });
    }

    @ParameterizedTest(name = "RT-01 {0}")
    @MethodSource("rows")
    void firstProblem_isAsTheRowSays(String title, JsonNode row) {
        byte[] document = Cases.join(row.get("document")).getBytes(StandardCharsets.ISO_8859_1);
        String rule = row.get("rule").asText();

        RefusedException refusal = Refusals.of(() -> RuntimeConfigLoader.standard().parse(document, "case"));

        if (rule.equals("-")) {
            assertThat(refusal).isNull();
            return;
        }
        assertThat(refusal).isNotNull();
        assertThat(refusal.code()).isEqualTo(RefusedException.Code.SCHEMA_INVALID);
        Problem first = refusal.problems().get(0);
        assertThat(first.rule()).hasToString(rule);
        assertThat(first.pointer()).isEqualTo(row.get("pointer").asText());
        assertPlace(first, row.get("at").asText());
    }

    /** {@code line:column}, {@code line:} alone, words for the message, or nothing that is looked at. */
    private static void assertPlace(Problem problem, String at) {
        if (at.matches("\\d+:\\d+")) {
            assertThat(problem.line() + ":" + problem.column()).isEqualTo(at);
        } else if (at.matches("\\d+:")) {
            assertThat(problem.line() + ":").isEqualTo(at);
        } else if (at.startsWith("byte ")) {
            assertThat(problem.message()).contains(at + " ");
        } else if (at.startsWith("NUL at ")) {
            assertThat(problem.message()).contains(at.substring("NUL at ".length()) + " is a NUL");
        }
    }
}
