// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** A part of the contract suite that has a gateway: a new one for each test, with a home of its own. */
@Tag("contract")
abstract class ContractSuite {

    @TempDir
    Path home;
    RealOpenShell openShell;

    @BeforeEach
    void start() throws Exception {
        openShell = RealOpenShell.start(home);
    }

    @AfterEach
    void stop() throws Exception {
        openShell.stop();
    }
}
