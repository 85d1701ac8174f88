// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Part 7: the gateway in memory against the real CLI. */
@Tag("contract")
@DisplayName("Contract 7: alike")
class ContractAlikeTest {

    @Test
    @DisplayName("RT-03 the gateway in memory and the real CLI answer each call of a script with the same code and bytes")
    void inMemory_isAsTheRealCli(@TempDir Path home) throws Exception {
        Path directory = home.resolve("policies");
        AnyOpenShell real = AnyOpenShell.real(home);
        try {
            assertThat(RawCalls.answers(AnyOpenShell.inMemory(), directory)).hasSize(38)
                    .containsExactlyElementsOf(RawCalls.answers(real, directory));
        } finally {
            real.stop();
        }
    }
}
