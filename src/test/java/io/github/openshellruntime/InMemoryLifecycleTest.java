// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import org.junit.jupiter.api.DisplayName;

@DisplayName("Lifecycle over the gateway in memory")
class InMemoryLifecycleTest extends LifecycleSuite {

    @Override
    AnyOpenShell openShell() {
        return AnyOpenShell.inMemory();
    }
}
