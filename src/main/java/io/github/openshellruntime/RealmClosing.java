// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.RealmException.Reason;
import io.github.openshellruntime.RealmException.Step;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Ends one realm and removes its policy file, for close and for what open and reap clear up. It looks before it deletes: the
 * name may have another owner by now.
 */
final class RealmClosing {

    /** The time of an interrupted thread for its look and its delete together. */
    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(10);

    private final RealmCalls calls;
    private final Path directory;
    private final SessionId session;
    private Optional<SandboxPhase> first = Optional.empty();
    private Optional<SandboxPhase> last = Optional.empty();
    private OpenShellRunnerError failedDelete;

    RealmClosing(RealmCalls calls, Path directory, SessionId session) {
        this.calls = calls;
        this.directory = directory;
        this.session = session;
    }

    /** What the first look saw that was answered. */
    Optional<SandboxPhase> firstSeen() {
        return first;
    }

    /** Ends a realm that is ours; fails if it is another's. */
    void close() throws InterruptedException {
        try {
            if (!deleteOurs()) {
                throw failed(Reason.NOT_OURS, null);
            }
            removePolicy();
        } catch (InterruptedException e) {
            throw afterInterrupt(e);
        }
    }

    /** Ends what our open began: another's realm is not ours to end, but the policy file is. */
    void cleanUp() throws InterruptedException {
        try {
            deleteOurs();
            removePolicy();
        } catch (InterruptedException e) {
            throw afterInterrupt(e);
        }
    }

    /** Another create was faster, so the realm stays. The policy file goes with it: if the labels are ours, it is that open's. */
    void leaveToWhoeverCreated() throws InterruptedException {
        RealmState state;
        try {
            state = look(calls.waitFor(calls.config().createTimeout()));
        } catch (OpenShellRunnerError e) {
            throw failed(Reason.CALL_FAILED, e);
        }
        if (state.phase() == SandboxPhase.ABSENT || !calls.isOurs(state)) {
            removePolicy();
        }
    }

    /** One look and one delete, since the thread is wanted elsewhere. What that does not end, a reap will. */
    InterruptedException afterInterrupt(InterruptedException interrupt) {
        Thread.interrupted();
        RealmWait wait = calls.waitFor(AFTER_INTERRUPT);
        try {
            RealmState state = look(wait);
            if (state.phase() == SandboxPhase.ABSENT || calls.isOurs(state)
                    && calls.run(OpenShellArgv.delete(session), wait.call()).exitCode() == 0) {
                removePolicy();
            }
        } catch (InterruptedException | RuntimeException e) {
            suppress(interrupt, e);
        }
        return interrupt;
    }

    /** Whether the realm, which is gone when this returns, was ours, or not there. False: it is another's, and stays. */
    private boolean deleteOurs() throws InterruptedException {
        RealmWait wait = calls.waitFor(calls.config().createTimeout());
        boolean deleted = false;
        while (true) {
            Optional<RealmState> seen = lookUnlessItFails(wait);
            if (seen.isPresent()) {
                RealmState state = seen.get();
                if (state.phase() == SandboxPhase.ABSENT) {
                    return true;
                }
                if (!calls.isOurs(state)) {
                    // If we deleted ours, the name has another owner since.
                    return deleted;
                }
                if (deleted && wait.isOver()) {
                    throw failed(Reason.STILL_THERE, failedDelete);
                }
                if (!deleted || state.phase() != SandboxPhase.DELETING) {
                    delete(wait);
                    deleted = true;
                }
            }
            wait.pause();
        }
    }

    private Optional<RealmState> lookUnlessItFails(RealmWait wait) throws InterruptedException {
        try {
            return Optional.of(look(wait));
        } catch (OpenShellRunnerError e) {
            if (wait.isOver()) {
                throw failed(Reason.CALL_FAILED, e);
            }
            return Optional.empty();
        }
    }

    private RealmState look(RealmWait wait) throws InterruptedException {
        RealmState state = calls.look(session, wait.call());
        last = Optional.of(state.phase());
        first = first.or(() -> last);
        return state;
    }

    /** Believes the next look, not the exit code of a delete: absent is 0 on one build and 1 on another. */
    private void delete(RealmWait wait) throws InterruptedException {
        failedDelete = null;
        try {
            calls.run(OpenShellArgv.delete(session), wait.call());
        } catch (OpenShellRunnerError e) {
            failedDelete = e;
        }
    }

    void removePolicy() {
        try {
            PolicyDocuments.remove(directory, session);
        } catch (PolicyWriteException e) {
            throw failed(Reason.POLICY_NOT_REMOVED, e);
        }
    }

    private RealmException failed(Reason reason, Exception cause) {
        return new RealmException(session, Step.CLOSE, reason, reason != Reason.NOT_OURS, last, Optional.empty(), cause);
    }

    /** Runners that tests write may throw one exception many times, and none can suppress itself. */
    static void suppress(Throwable kept, Throwable other) {
        if (kept != other) {
            kept.addSuppressed(other);
        }
    }
}
