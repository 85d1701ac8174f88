// SPDX-License-Identifier: Apache-2.0

/** Runs each session of a dispatcher in an OpenShell sandbox. */
module io.github.openshellruntime {
    requires com.fasterxml.jackson.databind;

    exports io.github.openshellruntime;
}
