// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of entries, lists and private zones: what they become, or the rules that refuse them. */
@DisplayName("RT-05 egress entries")
class EgressCasesTest {

    static Stream<Arguments> rows() {
        return Cases.read("egress-cases.jsonl").stream().map(row -> {
            String subject = list(row).toString();
            String shown = subject.length() > 80 ? subject.substring(0, 80) + "..." : subject;
            return Arguments.of(row.get("id").asText() + " " + row.get("rule").asText() + " " + Text.escaped(shown), row);
        });
    }

    /** The value of egressAllow that a row is about. */
    private static JsonNode list(JsonNode row) {
        if (row.has("entry")) {
            return new ArrayNode(JsonNodeFactory.instance).add(Cases.join(row.get("entry")));
        }
        return row.has("other") ? new ArrayNode(JsonNodeFactory.instance).add(row.get("other"))
                : row.path("list");
    }

    @ParameterizedTest(name = "RT-05 {0}")
    @MethodSource("rows")
    void entry_isTakenOrRefusedAsTheRowSays(String title, JsonNode row) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.putArray("workloadArgv").add("/usr/bin/agent");
        if (!list(row).isMissingNode()) {
            document.set("egressAllow", list(row));
        }
        String[] zones = StreamSupport.stream(row.path("zones").spliterator(), false).map(JsonNode::asText)
                .toArray(String[]::new);
        RuntimeConfigLoader loader = RuntimeConfigLoader.standard().allowingPrivateZones(zones);
        byte[] json = document.toString().getBytes(StandardCharsets.UTF_8);

        if (row.get("rule").asText().equals("-")) {
            List<String> rendered = StreamSupport.stream(row.get("rendered").spliterator(), false).map(JsonNode::asText)
                    .toList();
            assertThat(loader.parse(json, "case").egressAllow().rules()).map(EgressRule::toString)
                    .containsExactlyElementsOf(rendered);
        } else {
            RefusedException refusal = Refusals.of(() -> loader.parse(json, "case"));
            assertThat(refusal).isNotNull();
            Set<String> rules = refusal.problems().stream().map(problem -> problem.rule().name())
                    .collect(Collectors.toSet());
            assertThat(rules).containsExactlyInAnyOrder(row.get("rule").asText().split("\\+"));
        }
    }

    @Test
    @DisplayName("RT-05 L11, L12 128 entries are taken, 129 are one COUNT at the array")
    void count_isBounded() {
        List<String> entries = IntStream.range(0, 129).mapToObj(i -> "h" + i + ".example.com").toList();

        assertThat(RuntimeConfig.builder(List.of("/usr/bin/agent")).egressAllow(entries.subList(0, 128)).build()
                .egressAllow().rules()).hasSize(128);
        RefusedException refusal =
                Refusals.of(() -> RuntimeConfig.builder(List.of("/usr/bin/agent")).egressAllow(entries).build());
        assertThat(Refusals.summary(refusal)).containsExactly("COUNT /egressAllow");
    }

    @Test
    @DisplayName("RT-05 the table has every rule of an entry")
    void table_hasEveryRule() {
        Set<String> rules = Cases.read("egress-cases.jsonl").stream()
                .flatMap(row -> Arrays.stream(row.get("rule").asText().split("\\+"))).collect(Collectors.toSet());

        assertThat(rules).contains("TYPE", "EMPTY", "LENGTH", "NON_ASCII", "IP_LITERAL", "URL", "CHARSET", "PORT",
                "PORT_BLOCKED", "TRAILING_DOT", "EMPTY_LABEL", "WILDCARD", "LABEL", "SPECIAL_USE", "SINGLE_LABEL",
                "NOT_PUBLIC_TLD", "METADATA", "REBIND_SERVICE", "SHARED_SUFFIX", "DUPLICATE");
    }
}
