// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.Objects;
import java.util.Optional;

/**
 * Thrown when a realm could not be opened or closed. Dispatch on {@link #reason()}; {@link #step()} says how far it got, and
 * {@link #leftBehind()} whether there is something to clear up.
 *
 * <p>If the clean-up failed, too, its failure is a suppressed exception. The message holds no output. The cause, where there
 * is one, is the {@link OpenShellRunnerError} or the {@link PolicyWriteException} behind it. After Java serialization
 * {@link #phase()} and {@link #created()} are empty; everything else is kept.
 */
public final class RealmException extends RuntimeException {

    /** What was being done. {@code toString()} is {@code name()}; constants may be added, never renamed. */
    public enum Step {
        /** {@code open} looks whether the name is free. */
        LOOK,
        /** {@code open} writes the policy. */
        POLICY,
        /** {@code open} creates the realm. */
        CREATE,
        /** {@code open} waits until the realm is ready. */
        WAIT,
        /** {@code open} compares the policy in force and runs a first command. */
        PROVE,
        /** {@code close} looks, deletes and removes the policy. */
        CLOSE
    }

    /** Why. {@code toString()} is {@code name()}; constants may be added, never renamed. */
    public enum Reason {
        /** The name is taken, in whatever phase and by whomever. Nothing was touched: use another session. */
        ALREADY_THERE("a realm of this name is there already; nothing was touched. Use another session, or close this one if"
                + " it is over"),
        /** The realm has not our labels: another dispatcher's, or nobody's. Nothing was touched. */
        NOT_OURS("the realm does not have the labels of this config; nothing was touched"),
        /** Create ended with a code other than 0 ({@link #created()} has the output), or with none (the cause). */
        CREATE_FAILED("create failed; created() or the cause says why"),
        /**
         * The realm did not become ready within the create timeout, went into a phase that never becomes ready
         * ({@link #phase()}), or could not run {@code true}. {@link #created()} and the gateway's log say more.
         */
        NOT_READY("the realm is not ready to run commands; phase() and created() say more"),
        /** The policy in force is not the one that was written: usually it is a global policy of the gateway. */
        POLICY_DIFFERENT("the policy in force is not the one that was written. The usual cause is a global policy of the"
                + " gateway, which replaces that of every sandbox: have it deleted"),
        /** The policy was not written, so nothing was created; the cause says why. */
        POLICY_NOT_WRITTEN("writing the policy failed, so nothing was created; the cause says why"),
        /** The realm is gone, its policy file is not; the cause says why. Close again, or reap. */
        POLICY_NOT_REMOVED("the realm is gone, but removing its policy file failed; the cause says why"),
        /** The gateway gave no answer that can be relied on; the cause says why. Try again when it answers. */
        CALL_FAILED("the gateway gave no answer that can be relied on; the cause says why"),
        /** The realm could not be deleted in time, or was not gone in time. Close again, or reap. */
        STILL_THERE("the realm could not be deleted, or was not gone, in time");

        private final String words;

        Reason(String words) {
            this.words = words;
        }
    }

    private static final long serialVersionUID = 1L;

    private final String sessionValue;
    private final Step step;
    private final Reason reason;
    private final boolean leftBehind;
    private final transient SandboxPhase phase;
    private final transient OpenShellRunOutcome created;

    /** @param cause {@code null} where there is none */
    RealmException(SessionId session, Step step, Reason reason, boolean leftBehind, Optional<SandboxPhase> phase,
            Optional<OpenShellRunOutcome> created, Throwable cause) {
        super(message(session, step, reason, leftBehind, phase, created.filter(CliAnswer::saysAlreadyExists).isPresent()),
                cause);
        this.sessionValue = session.value();
        this.step = Objects.requireNonNull(step);
        this.reason = reason;
        this.leftBehind = leftBehind;
        this.phase = phase.orElse(null);
        this.created = created.orElse(null);
    }

    private static String message(SessionId session, Step step, Reason reason, boolean leftBehind,
            Optional<SandboxPhase> phase, boolean taken) {
        // Whose realm has the name is not known here, so nobody is told to close it.
        String words = taken ? "the name was taken after the first look; nothing was deleted. Use another session, and do"
                + " not close this one" : reason.words;
        String left = taken ? "The policy file may be left behind; reap removes it"
                : "Something may be left behind; close the session again, or reap";
        return session.sandboxName() + ": " + reason + " at " + step + ": " + words
                + phase.map(last -> ". It was last seen " + last).orElse("") + (leftBehind ? ". " + left : "");
    }

    /** The same failure after its clean-up: with the phase that this saw, if any. */
    RealmException cleanedUp(Optional<SandboxPhase> seen, boolean somethingLeft) {
        return new RealmException(session(), step, reason, somethingLeft, seen.or(this::phase), created(), getCause());
    }

    /** Returns the session whose realm it is. */
    public SessionId session() {
        return SessionId.of(sessionValue);
    }

    /** Returns what was being done. */
    public Step step() {
        return step;
    }

    /** Returns why it failed: the first reason, whatever failed after it. */
    public Reason reason() {
        return reason;
    }

    /**
     * Returns whether something may be left behind: a realm that is ours, a policy file. {@link Realms#close} the session
     * again, or {@link Realms#reap}. A create that was cut short may still make its realm later; that is not known here, and
     * reap finds it.
     */
    public boolean leftBehind() {
        return leftBehind;
    }

    /** Returns the phase that was seen last, also by the first look of the clean-up; empty if no look was answered. */
    public Optional<SandboxPhase> phase() {
        return Optional.ofNullable(phase);
    }

    /** Returns how create ended and what it printed, if it ended by itself. */
    public Optional<OpenShellRunOutcome> created() {
        return Optional.ofNullable(created);
    }
}
