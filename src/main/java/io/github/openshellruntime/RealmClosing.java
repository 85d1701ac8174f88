// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.RealmException.Reason;
import io.github.openshellruntime.RealmException.Step;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Ends one realm and removes its policy file, for close and for what open and reap clear up. It never deletes what it has
 * not looked at: a name can have got another owner.
 */
final class RealmClosing {

    /** What an interrupted thread still takes for its look and its delete together. */
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

    /** Ends a realm that is ours, and says so where it is another's. */
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

    /** Ends what our own open has begun: a realm that is another's is not what it made, but the policy file is. */
    void cleanUp() throws InterruptedException {
        try {
            deleteOurs();
            removePolicy();
        } catch (InterruptedException e) {
            throw afterInterrupt(e);
        }
    }

    /** Where another was faster to create: the realm is not what our open made, and if it is ours, neither is the file. */
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
                    // Where ours was deleted, the name has got another owner since.
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

    /** What the CLI says of a delete is not believed, the next look is: absent is 0 on one build and 1 on another. */
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
