// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is allowed but probably not meant: for each code where it appears and where it does not. */
@DisplayName("AdvisoryRules")
class AdvisoryRulesTest {

    private static final String DIGEST = "a/b@sha256:" + "0".repeat(64);

    private static List<Advisory> advisories(String workload, String egress, String image, String owner) {
        RuntimeConfig.Builder builder = RuntimeConfig.builder(List.of(workload))
                .egressAllow(egress == null ? List.of() : List.of(egress.split(" ")));
        if (image != null) {
            builder.image(image);
        }
        if (owner != null) {
            builder.owner(owner);
        }
        return builder.build().advisories();
    }

    @ParameterizedTest(name = "workload {0}, egress {1}: {2}")
    @CsvSource({"/bin/agent,a.example.com,WORKLOAD_UNDER_LINKED_DIRECTORY", "/sbin/agent,a.example.com,WORKLOAD_UNDER_LINKED_DIRECTORY",
        "/lib/agent,a.example.com,WORKLOAD_UNDER_LINKED_DIRECTORY", "/lib64/x/agent,a.example.com,WORKLOAD_UNDER_LINKED_DIRECTORY",
        "/library/agent,a.example.com,", "/agent,a.example.com,", "/bin/agent,,", "/sbin/agent,,", "/lib64/agent,,", "/usr/bin/agent,a.example.com,", "/binary/agent,a.example.com,", "/opt/bin/agent,a.example.com,",
        "/usr/bin/bash,,WORKLOAD_IS_A_SHELL", "/usr/bin/sh,a.example.com,WORKLOAD_IS_A_SHELL", "/usr/bin/busybox,,WORKLOAD_IS_A_SHELL",
        "/usr/bin/bashful,,", "/usr/bash/agent,,", "/usr/bin/env,,WORKLOAD_IS_A_WRAPPER", "/usr/bin/nohup,,WORKLOAD_IS_A_WRAPPER",
        "/usr/bin/nice,a.example.com,WORKLOAD_IS_A_WRAPPER", "/usr/bin/nicer,,", "/opt/run.sh,,WORKLOAD_IS_A_SCRIPT",
        "/opt/main.py,,WORKLOAD_IS_A_SCRIPT", "/opt/x.js,a.example.com,WORKLOAD_IS_A_SCRIPT", "/opt/run.sh.d/agent,,", "/opt/crush,,",
        "/workspace/agent,,WORKLOAD_IS_WRITABLE", "/tmp/a/agent,,WORKLOAD_IS_WRITABLE", "/tmpfs/agent,,", "/opt/tmp/agent,,",
        "/usr/bin/java,a.example.com,WORKLOAD_IS_A_JVM", "/usr/lib/jvm/x/bin/tool,a.example.com,WORKLOAD_IS_A_JVM", "/usr/bin/java,,",
        "/usr/bin/javac,a.example.com,", "/usr/bin/agent,*.example.com,EGRESS_WILDCARD", "/usr/bin/agent,a.example.com,",
        "/usr/bin/agent,a.example.com:22,EGRESS_SERVER_SPEAKS_FIRST", "/usr/bin/agent,a.example.com:25,EGRESS_SERVER_SPEAKS_FIRST",
        "/usr/bin/agent,a.example.com:3306,EGRESS_SERVER_SPEAKS_FIRST", "/usr/bin/agent,a.example.com:2222,"})
    void advisory_appearsWhereItIsMeant(String workload, String egress, Advisory.Code code) {
        List<Advisory> advisories = advisories(workload, egress, DIGEST, "d-1");

        assertThat(advisories).extracting(Advisory::code).containsExactlyElementsOf(code == null ? List.of() : List.of(code));
    }

    @Test
    @DisplayName("an image without a digest, and a missing owner")
    void imageAndOwner() {
        assertThat(advisories("/usr/bin/agent", null, "a/b:1", "d-1")).extracting(Advisory::toString)
                .singleElement().asString().startsWith("/image  IMAGE_WITHOUT_DIGEST  ");
        assertThat(advisories("/usr/bin/agent", null, "a/b:1@sha256:" + "0".repeat(64), "d-1")).isEmpty();
        assertThat(advisories("/usr/bin/agent", null, "a/b@sha512:" + "0".repeat(128), "d-1")).isEmpty();
        assertThat(advisories("/usr/bin/agent", null, null, "d-1")).isEmpty();
        assertThat(advisories("/usr/bin/agent", null, null, null)).extracting(Advisory::code)
                .containsExactly(Advisory.Code.NO_OWNER);
    }

    @Test
    @DisplayName("pointers are those of the config as it was written; the order is that of the keys")
    void pointers() {
        List<Advisory> advisories =
                advisories("/bin/sh", "z.example.com:22 a.example.com *.b.example.com:25 *.a.example.com", "a/b:1", null);

        assertThat(advisories).extracting(advisory -> advisory.code() + " " + advisory.pointer()).containsExactly(
                "WORKLOAD_UNDER_LINKED_DIRECTORY /workloadArgv/0", "WORKLOAD_IS_A_SHELL /workloadArgv/0",
                "EGRESS_SERVER_SPEAKS_FIRST /egressAllow/0", "EGRESS_WILDCARD /egressAllow/2",
                "EGRESS_SERVER_SPEAKS_FIRST /egressAllow/2", "EGRESS_WILDCARD /egressAllow/3", "IMAGE_WITHOUT_DIGEST /image",
                "NO_OWNER /owner");
        assertThat(advisories).allSatisfy(advisory -> assertThat(advisory.message()).matches("[ -~]{20,}"));
        assertThat(advisories.get(0).message()).contains("/usr/bin");
    }

    @Test
    @DisplayName("every code appears in these tests")
    void everyCode() {
        Set<Advisory.Code> seen = Stream.of(advisories("/bin/sh", "*.example.com:22", "a/b:1", null),
                advisories("/usr/bin/env", null, null, null), advisories("/tmp/x.sh", null, null, null),
                advisories("/usr/bin/java", "a.example.com", null, null)).flatMap(List::stream).map(Advisory::code)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Advisory.Code.class)));

        assertThat(seen).containsExactly(Advisory.Code.values());
        Advisory one = new Advisory(Advisory.Code.NO_OWNER, "/a", "m");
        assertThat(one).isEqualTo(new Advisory(Advisory.Code.NO_OWNER, "/a", "m"))
                .hasSameHashCodeAs(new Advisory(Advisory.Code.NO_OWNER, "/a", "m")).hasToString("/a  NO_OWNER  m")
                .isNotEqualTo(new Advisory(Advisory.Code.EGRESS_WILDCARD, "/a", "m")).isNotEqualTo(new Advisory(Advisory.Code.NO_OWNER, "/b", "m"))
                .isNotEqualTo(new Advisory(Advisory.Code.NO_OWNER, "/a", "n")).isNotEqualTo("x");
        assertThat(one.hashCode()).isNotZero();
    }
}
