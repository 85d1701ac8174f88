// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Work is linear. How linear, the benchmark measures; what is not takes ten seconds here instead of a twentieth of one. */
@DisplayName("Hostile documents")
class HostileDocumentTest {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    @ParameterizedTest(name = "R60 {0} is refused in less than three seconds of processor time, with at most 20 problems shown")
    @EnumSource
    void document_isRefusedSoon(HostileDocument document) {
        byte[] json = document.bytes();
        RuntimeConfigLoader loader = RuntimeConfigLoader.standard().allowingPrivateZones("zone.internal", "lan");
        long start = THREADS.getCurrentThreadCpuTime();

        RefusedException refusal = Refusals.of(() -> loader.parse(json, "hostile"));

        assertThat(Duration.ofNanos(THREADS.getCurrentThreadCpuTime() - start)).isLessThan(Duration.ofSeconds(3));
        assertThat(refusal).isNotNull();
        assertThat(refusal.problems()).hasSizeLessThanOrEqualTo(20);
        assertThat(json.length).isBetween(300_000, ConfigFile.MAX_BYTES);
    }
}
