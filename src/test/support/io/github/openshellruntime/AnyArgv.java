// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.List;
import java.util.Optional;

/** Calls that the library itself never builds. */
final class AnyArgv {

    private AnyArgv() {
    }

    static OpenShellArgv of(List<String> argv) {
        return new OpenShellArgv(OpenShellArgv.Verb.VERSION, Optional.empty(), argv, List.of());
    }

    static OpenShellArgv of(String... argv) {
        return of(List.of(argv));
    }
}
