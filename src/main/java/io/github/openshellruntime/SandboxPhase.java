// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.Arrays;
import java.util.Locale;

/**
 * Where a sandbox is in its life, as {@code get} tells it. {@code toString()} is {@code name()}; constants may be added in a
 * minor release, never renamed.
 */
public enum SandboxPhase {
    /** It is being made. */
    PROVISIONING,
    /** The gateway last heard that its main process was started. That is no proof of life: run something in it. */
    READY,
    /** Its main process has ended with 0; commands can no longer be run in it. */
    COMPLETED,
    /** It could not be made, or its main process has failed. The name stays taken until it is deleted. */
    ERROR,
    /** It is being started again. */
    STARTING,
    /** It is being stopped. */
    STOPPING,
    /** It is stopped. */
    STOPPED,
    /** It is being suspended. */
    SUSPENDING,
    /** It is suspended. */
    SUSPENDED,
    /** It is being resumed after it was suspended. */
    RESUMING,
    /** It is being deleted; the name is still taken. */
    DELETING,
    /** There is no such sandbox: the gateway said exactly that; other failures do not count. */
    ABSENT,
    /** The gateway names a phase that this library does not know. */
    UNKNOWN;

    /**
     * Reads the phase in the answer to {@link OpenShellArgv#get}, run capturing: {@link RealmState#of} and its
     * {@link RealmState#phase()}.
     *
     * @throws OpenShellRunnerError as {@link RealmState#of} does
     */
    public static SandboxPhase of(OpenShellRunOutcome ofGet) {
        return RealmState.of(ofGet).phase();
    }

    /** The phase that a gateway names, in any case of its ASCII letters. */
    static SandboxPhase named(String phase) {
        // Beyond ASCII there are characters whose upper case is an ASCII letter.
        String name = Text.isAscii(phase) ? phase.toUpperCase(Locale.ROOT) : "";
        return Arrays.stream(values()).filter(known -> known != ABSENT && known.name().equals(name)).findFirst().orElse(UNKNOWN);
    }
}
