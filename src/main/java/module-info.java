// SPDX-License-Identifier: Apache-2.0

/** Runs each session of a dispatcher in an OpenShell sandbox. */
module io.github.openshellruntime {
    requires com.fasterxml.jackson.databind;
    requires jdk.jfr;

    exports io.github.openshellruntime;
    exports io.github.openshellruntime.testing;
}
