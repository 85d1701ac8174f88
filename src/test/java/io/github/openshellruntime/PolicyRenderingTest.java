// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Properties of rendered policies, over seeded random allowlists. */
@DisplayName("Rendering")
class PolicyRenderingTest {

    private static final JsonMapper STRICT =
            JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
    private static final String NETWORK = "\"network_policies\": ";

    private final Random random = new Random(5);

    private List<String> entries() {
        Set<String> entries = new LinkedHashSet<>();
        int size = random.nextInt(12);
        while (entries.size() < size) {
            String host = (random.nextInt(4) == 0 ? "*." : "") + (char) ('a' + random.nextInt(4)) + ".example"
                    + random.nextInt(3) + ".com";
            entries.add(host + ":" + List.of(443, 80, 8443, 1, 65_535, 9, 10).get(random.nextInt(7)));
        }
        return new ArrayList<>(entries);
    }

    private static EgressAllowlist allow(List<String> entries) {
        return RuntimeConfig.builder(List.of("/usr/bin/agent")).egressAllow(entries).build().egressAllow();
    }

    @Test
    @DisplayName("RT-05 permutations and cases give equal bytes; parsing back gives exactly the hosts and ports")
    void documents_areCanonical() throws Exception {
        for (int i = 0; i < 500; i++) {
            List<String> entries = entries();
            PolicyDocument document = PolicyDocuments.render(allow(entries), "/usr/bin/agent");
            List<String> shuffled = new ArrayList<>(entries);
            Collections.shuffle(shuffled, random);
            shuffled.replaceAll(entry -> random.nextBoolean() ? entry.toUpperCase(Locale.ROOT) : entry);

            assertThat(PolicyDocuments.render(allow(shuffled), "/usr/bin/agent").toBytes()).isEqualTo(document.toBytes());
            Set<String> rendered = new TreeSet<>();
            List<String> hosts = new ArrayList<>();
            JsonNode rule = STRICT.readTree(document.toBytes()).path("network_policies").path("workload_egress");
            for (JsonNode endpoint : rule.path("endpoints")) {
                assertThat(endpoint.properties()).hasSize(2);
                hosts.add(endpoint.get("host").asText());
                List<Integer> ports = new ArrayList<>();
                endpoint.get("ports").forEach(port -> ports.add(port.intValue()));
                assertThat(ports).isSorted().doesNotHaveDuplicates().isNotEmpty();
                ports.forEach(port -> rendered.add(endpoint.get("host").asText() + ":" + port));
            }
            assertThat(rendered).isEqualTo(new TreeSet<>(entries));
            assertThat(hosts).isSorted().doesNotHaveDuplicates();
            assertThat(rule.path("binaries").toString()).isEqualTo(entries.isEmpty() ? "" : "[{\"path\":\"/usr/bin/agent\"}]");
        }
    }

    @Test
    @DisplayName("D-57 the fixed sections are the same to the byte for every allowlist and binary; the text is plain")
    void fixedSections_areFixed() {
        String fixed = head(PolicyDocuments.render(allow(List.of()), "/opt/a"));
        for (int i = 0; i < 200; i++) {
            PolicyDocument document = PolicyDocuments.render(allow(entries()), "/opt/" + "x".repeat(1 + random.nextInt(50)));
            assertThat(head(document)).isEqualTo(fixed);
            assertThat(document.json()).matches("[ -~\\n]*").endsWith("}\n").doesNotContain(": null", "\t", " \n");
            assertThat(document.json().lines()).allMatch(line -> (line.length() - line.stripLeading().length()) % 2 == 0);
        }
    }

    private static String head(PolicyDocument document) {
        return document.json().substring(0, document.json().indexOf(NETWORK));
    }

    @Test
    @DisplayName("the largest document that an allowlist and a profile can give is under 65,536 bytes")
    void largestDocument_isSmall() {
        List<String> entries = new ArrayList<>();
        String[] directories = new String[32];
        for (int i = 0; i < 128; i++) {
            String host = "x".repeat(60) + String.format("%03d", i) + "." + "y".repeat(63) + "." + "z".repeat(63) + "."
                    + "w".repeat(57) + ".com";
            assertThat(host).hasSize(253);
            entries.add(host + ":65535");
        }
        for (int i = 0; i < directories.length; i++) {
            directories[i] = "/" + "d".repeat(252) + String.format("%02d", i);
            assertThat(directories[i]).hasSize(255);
        }
        // The longest directory and the longest path at once: a workload of one character in it.
        String workload = "/" + "a".repeat(4_092) + "/b";
        assertThat(workload).hasSize(4_095);
        SandboxProfile profile = SandboxProfile.standard().withUser(WorkloadUser.of(4_294_967_294L, 4_294_967_294L))
                .withReadable(directories);

        PolicyDocument largest = PolicyDocuments.render(allow(entries), workload, profile);

        assertThat(largest.json()).contains("\"" + workload.substring(0, 4_093) + "\",").contains(directories);
        assertThat(largest.toBytes().length).isBetween(61_500, 65_535);
    }
}
