// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

/** Part 8: the lives of realms over the real CLI. */
@Tag("contract")
@DisplayName("Contract 8: lifecycle")
class ContractLifecycleTest extends LifecycleSuite {

    @Override
    AnyOpenShell openShell() throws Exception {
        return AnyOpenShell.real(home);
    }
}
