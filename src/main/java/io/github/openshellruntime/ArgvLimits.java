// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

/** The limits of a gateway of OpenShell 0.0.111; the later sources that were read still have them. */
final class ArgvLimits {

    /** Elements of a sandbox's main process. */
    static final int MAX_CREATE_ARGUMENTS = 256;

    /** Elements of a command that is run in a sandbox. */
    static final int MAX_EXEC_ARGUMENTS = 1_024;

    /** UTF-8 bytes of one argument. */
    static final int MAX_ARGUMENT_BYTES = 32_768;

    /** UTF-8 bytes of a whole command; for exec, of the shell line that the gateway makes of it. */
    static final int MAX_COMMAND_BYTES = 262_144;

    private ArgvLimits() {
    }
}
