// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Where a sandbox is in its life, as {@code get} tells it. {@code toString()} is {@code name()}; constants may be added in a
 * minor release, never renamed.
 */
public enum SandboxPhase {
    /** It is being made. */
    PROVISIONING,
    /** Its main process was started. That is what the gateway last heard, and no proof of life: run something in it. */
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
    /** It is being deleted; the name is still taken. */
    DELETING,
    /** There is no such sandbox. */
    ABSENT,
    /** The gateway names a phase that this library does not know. */
    UNKNOWN;

    private static final List<SandboxPhase> NAMED_BY_GATEWAYS =
            List.of(PROVISIONING, READY, COMPLETED, ERROR, STARTING, STOPPING, STOPPED, DELETING);

    /**
     * Reads the answer to {@link OpenShellArgv#get}, run capturing. Fields that are not known are ignored; {@code get} that
     * ends with 1 and says "not found" is {@link #ABSENT}.
     *
     * @throws OpenShellRunnerError with {@code FAILED} and {@code UNREADABLE_ANSWER} for any other answer: truncated, cut
     *         short (it has to end in a line end), malformed, without a phase, of a failed or of a discarding run. JSON is
     *         read up to a depth of 64
     */
    public static SandboxPhase of(OpenShellRunOutcome ofGet) {
        Answer answer = new Answer(ofGet);
        if (ofGet.exitCode() == 1 && answer.saysNotFound()) {
            return ABSENT;
        }
        JsonValue sandbox = answer.json();
        Optional<JsonValue> phase = Optional.empty();
        for (JsonValue.Member member : sandbox.members()) {
            if (member.key().equals("phase")) {
                if (phase.isPresent() || member.value().kind() != JsonValue.Kind.STRING) {
                    throw answer.unreadable();
                }
                phase = Optional.of(member.value());
            }
        }
        return named(phase.orElseThrow(answer::unreadable).text());
    }

    private static SandboxPhase named(String phase) {
        String name = phase.toUpperCase(Locale.ROOT);
        return NAMED_BY_GATEWAYS.stream().filter(known -> known.name().equals(name)).findFirst().orElse(UNKNOWN);
    }
}
