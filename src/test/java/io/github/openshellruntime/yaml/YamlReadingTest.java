// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.openshellruntime.PolicyDocument;
import io.github.openshellruntime.PolicyDocuments;
import io.github.openshellruntime.RuntimeConfig;
import io.github.openshellruntime.SandboxProfile;
import io.github.openshellruntime.WorkloadUser;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** OpenShell reads policies as YAML: what a YAML 1.2 parser sees is what a JSON parser sees. */
@Tag("faults")
@DisplayName("Policies read as YAML")
class YamlReadingTest {

    @Test
    @DisplayName("R67, RT-05 YAML 1.2 and JSON readings of 500 policies agree")
    void readings_agree() throws Exception {
        Random random = new Random(12);
        List<WorkloadUser> users = List.of(WorkloadUser.standard(), WorkloadUser.sandboxAccount(), WorkloadUser.imageUser(),
                WorkloadUser.of(1, 4_294_967_294L));
        for (int i = 0; i < 500; i++) {
            List<String> entries = new ArrayList<>();
            for (int n = random.nextInt(6); n > 0; n--) {
                // Words and numbers that YAML likes to read as something else.
                String label = List.of("no", "yes", "null", "on", "1e3", "0x1f", "1", "true", "y").get(random.nextInt(9));
                entries.add((random.nextBoolean() ? "*." : "") + label + i + "-" + n + "." + label + ".no:" + (1 + random.nextInt(2_000)));
            }
            PolicyDocument document = PolicyDocuments.render(
                    RuntimeConfig.builder(List.of("/opt/yes")).egressAllow(entries).build().egressAllow(),
                    "/no/null~:x", SandboxProfile.standard().withUser(users.get(random.nextInt(users.size())))
                            .withReadable("/~", "/null", "/yes:#" + i, "/-", "/'&!%@`,<>|=" + i));

            Object yaml = new Load(LoadSettings.builder().setAllowDuplicateKeys(false).build())
                    .loadFromString(new String(document.toBytes(), StandardCharsets.UTF_8));
            Object json = new ObjectMapper().readValue(document.toBytes(), Map.class);

            assertThat(yaml).isEqualTo(json);
        }
    }
}
