// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.RealmException.Reason;
import io.github.openshellruntime.RealmException.Step;
import io.github.openshellruntime.RealmState.PolicyInForce;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** One open of one realm, from the first look to the proof, and the clean-up of what fails between. */
final class RealmOpening {

    private static final Set<SandboxPhase> ON_ITS_WAY = EnumSet.of(SandboxPhase.PROVISIONING, SandboxPhase.STARTING);
    private static final List<String> PROBE = List.of("true");
    private static final int PROBES = 2;

    private final RealmCalls calls;
    private final Path directory;
    private final PolicyDocument policy;
    private final SessionId session;
    private final RealmClosing closing;
    private Optional<SandboxPhase> phase = Optional.empty();
    private Optional<OpenShellRunOutcome> created = Optional.empty();

    RealmOpening(RealmCalls calls, Path directory, PolicyDocument policy, SessionId session) {
        this.calls = calls;
        this.directory = directory;
        this.policy = policy;
        this.session = session;
        this.closing = new RealmClosing(calls, directory, session);
    }

    RealmState open() throws InterruptedException {
        requireAbsent();
        WrittenPolicy written = writePolicy();
        RealmWait wait = calls.waitFor(calls.config().createTimeout());
        try {
            create(written);
            RealmState ready = awaitReady(wait);
            requirePolicy(ready);
            requireLife(wait);
            return ready;
        } catch (RealmException e) {
            throw cleanedUp(e, this::endWhatWasCreated);
        } catch (InterruptedException e) {
            throw closing.afterInterrupt(e);
        } catch (RuntimeException | Error e) {
            // A refusal of the runner, or anything that a custom runner throws.
            attempt(this::endWhatWasCreated, () -> e).ifPresent(failure -> RealmClosing.suppress(e, failure));
            throw e;
        }
    }

    /** Looks before anything is written: a name that is taken is not ours to touch. */
    private void requireAbsent() throws InterruptedException {
        try {
            look(RealmWait.CALL);
        } catch (OpenShellRunnerError e) {
            throw failed(Step.LOOK, Reason.CALL_FAILED, e);
        }
        if (!phase.equals(Optional.of(SandboxPhase.ABSENT))) {
            throw failed(Step.LOOK, Reason.ALREADY_THERE, null);
        }
    }

    private WrittenPolicy writePolicy() throws InterruptedException {
        try {
            return PolicyDocuments.write(directory, session, policy);
        } catch (PolicyWriteException e) {
            boolean interrupted = Thread.interrupted();
            RealmException failure = cleanedUp(failed(Step.POLICY, Reason.POLICY_NOT_WRITTEN, e), closing::removePolicy);
            if (interrupted) {
                InterruptedException interrupt = new InterruptedException("interrupted while the policy was written");
                interrupt.addSuppressed(failure);
                throw interrupt;
            }
            throw failure;
        }
    }

    private void create(WrittenPolicy written) throws InterruptedException {
        try {
            created = Optional.of(calls.run(OpenShellArgv.create(written, calls.config()),
                    OpenShellRunOptions.capturing(calls.config().createTimeout())));
        } catch (OpenShellRunnerError e) {
            throw failed(Step.CREATE, Reason.CREATE_FAILED, e);
        }
        if (created.get().exitCode() != 0) {
            throw failed(Step.CREATE, Reason.CREATE_FAILED, null);
        }
    }

    private RealmState awaitReady(RealmWait wait) throws InterruptedException {
        while (true) {
            OpenShellRunnerError unanswered = null;
            try {
                RealmState state = look(wait.call());
                if (state.phase() == SandboxPhase.READY) {
                    return state;
                }
                if (!ON_ITS_WAY.contains(state.phase())) {
                    throw failed(Step.WAIT, Reason.NOT_READY, null);
                }
            } catch (OpenShellRunnerError e) {
                unanswered = e;
            }
            if (wait.isOver()) {
                throw failed(Step.WAIT, unanswered == null ? Reason.NOT_READY : Reason.CALL_FAILED, unanswered);
            }
            wait.pause();
        }
    }

    private RealmState look(OpenShellRunOptions options) throws InterruptedException {
        RealmState state = calls.look(session, options);
        phase = Optional.of(state.phase());
        return state;
    }

    private void requirePolicy(RealmState ready) {
        if (ready.policy(policy) == PolicyInForce.DIFFERENT) {
            throw failed(Step.PROVE, Reason.POLICY_DIFFERENT, null);
        }
    }

    /** READY is what the gateway last heard: it was seen for 28 seconds after a main process was dead. */
    private void requireLife(RealmWait wait) throws InterruptedException {
        OpenShellRunnerError unanswered = null;
        for (int probe = 1; probe <= PROBES; probe++) {
            try {
                unanswered = null;
                if (calls.run(OpenShellArgv.exec(session, PROBE), wait.call()).exitCode() == 0) {
                    return;
                }
            } catch (OpenShellRunnerError e) {
                unanswered = e;
            }
        }
        throw failed(Step.PROVE, Reason.NOT_READY, unanswered);
    }

    private RealmException failed(Step step, Reason reason, Exception cause) {
        return new RealmException(session, step, reason, false, phase, created, cause);
    }

    private interface CleanUp {
        void run() throws InterruptedException;
    }

    private void endWhatWasCreated() throws InterruptedException {
        if (created.filter(CliAnswer::saysAlreadyExists).isPresent()) {
            closing.leaveToWhoeverCreated();
        } else {
            closing.cleanUp();
        }
    }

    private RealmException cleanedUp(RealmException failure, CleanUp cleanUp) throws InterruptedException {
        Optional<Throwable> left = attempt(cleanUp, () -> failure.cleanedUp(closing.firstSeen(), true));
        RealmException after = failure.cleanedUp(closing.firstSeen(), left.isPresent());
        left.ifPresent(after::addSuppressed);
        return after;
    }

    /** Clears up and returns what failed then. An interrupt of the clean-up interrupts open, and carries the failure. */
    private static Optional<Throwable> attempt(CleanUp cleanUp, Supplier<Throwable> failure) throws InterruptedException {
        try {
            cleanUp.run();
            return Optional.empty();
        } catch (InterruptedException | Error e) {
            RealmClosing.suppress(e, failure.get());
            throw e;
        } catch (RuntimeException e) {
            return Optional.of(e);
        }
    }
}
