// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The whole life of a realm, for the sessions of one dispatcher: open, use, close, and reap what an earlier run left behind.
 * Immutable and thread-safe; starts nothing by itself and holds no state but the arguments of {@link #of}.
 *
 * <pre>{@code
 * RuntimeConfig config = RuntimeConfigLoader.standard().load(configFile);
 * OpenShellCli cli = OpenShellCli.verify(config, System.getenv());
 * Realms realms = Realms.of(OpenShellRunner.of(cli), config, config.policyDir().orElse(directory));
 * realms.reap(session -> false); // at the start: what an earlier life of this dispatcher left behind
 *
 * SessionId session = SessionId.derive(jobId);
 * realms.open(session);
 * try {
 *     OpenShellRunOutcome outcome = realms.exec(session, List.of("/usr/bin/make", "test"));
 * } finally {
 *     realms.close(session);
 * }
 * }</pre>
 *
 * <p>Call {@code open} before the {@code try}: a failed {@code open} cleans up by itself. Do not call {@code close} after
 * {@code ALREADY_THERE}, nor after a {@code CREATE_FAILED} whose message says that the name was taken: it could end a live
 * realm. Use each session once. Two concurrent opens of one session may delete each other's realm; so may an open and a
 * reap that is still closing the older realm.
 *
 * <h2>Which realms are ours</h2>
 *
 * Those with the label {@link OpenShellArgv#MANAGED_LABEL} of this library and, where the config has an owner, that owner's
 * {@link OpenShellArgv#OWNER_LABEL}. No other realm is ever deleted. <b>Without an owner every realm of this library on the
 * gateway is ours</b>, other dispatchers' included. A policy directory belongs to one dispatcher, too.
 *
 * <h2>What blocks, and for how long</h2>
 *
 * Everything but {@link #of} and {@link #policy} blocks the calling thread. Every CLI call has a deadline: for create it is
 * the config's create timeout, for the command of {@link #exec} the given one. Any other call has 30 seconds, or what is left
 * of the method's own time, but at least one second. To end a call that hangs takes a second more. The methods take at most:
 *
 * <ul>
 *   <li>{@link #open}: one call and the write of the policy; then the create timeout for everything from create on, and
 *       three calls of a second each. A failed {@code open} then takes as long as {@code close}, to clean up.
 *   <li>{@link #close}: the create timeout, counted from its first look, and three calls of a second each.
 *   <li>{@link #reap}: its lists, and as long as {@code close} for each realm, one after the other.
 *   <li>{@code open}, {@code close} and {@code reap} after an interrupt: a look and a delete, ten seconds together. A second
 *       interrupt ends these, too.
 * </ul>
 *
 * <h2>Why it failed, and what to do</h2>
 *
 * <table>
 * <caption>Reasons of a RealmException</caption>
 * <thead><tr><th scope="col">reason<th scope="col">what it means<th scope="col">what to do</tr></thead>
 * <tbody>
 * <tr><th scope="row">ALREADY_THERE<td>{@code open}: the name is taken, in whatever phase and by whomever; nothing was
 *   touched
 *   <td>take another session, or close this one first if it is over</tr>
 * <tr><th scope="row">POLICY_NOT_WRITTEN<td>{@code open}: the disk; nothing was created<td>the cause names the remedy</tr>
 * <tr><th scope="row">CREATE_FAILED<td>{@code open}: create ended with a code other than 0, or with none; or the name was
 *   taken between the look and create (then nothing is deleted)<td>read {@link RealmException#created()} or the cause; an
 *   image or a workload that does not start fails again; a lost connection need not</tr>
 * <tr><th scope="row">NOT_READY<td>{@code open}: a phase that never becomes READY, no READY in time, or a realm that cannot
 *   run {@code true}, such as one of an image without a shell<td>read {@code created()} and the gateway's log</tr>
 * <tr><th scope="row">POLICY_DIFFERENT<td>{@code open}: another policy is in force; usually a global one, which replaces
 *   that of every sandbox<td>have it deleted; no session of this gateway has its allowlist until then</tr>
 * <tr><th scope="row">CALL_FAILED<td>the gateway gave no answer that can be relied on until the time was over (at the first
 *   look of {@code open}: once)<td>try again when it answers</tr>
 * <tr><th scope="row">NOT_OURS<td>{@code close}: the realm has not our labels; nothing was touched<td>nothing: it is not
 *   this dispatcher's</tr>
 * <tr><th scope="row">STILL_THERE<td>{@code close}: not deleted, or not gone, in time<td>close again later, or reap</tr>
 * <tr><th scope="row">POLICY_NOT_REMOVED<td>{@code close}: the realm is gone, its file is not<td>the cause names the
 *   remedy; then close again, or reap</tr>
 * </tbody>
 * </table>
 *
 * <h2>What is left behind, and when</h2>
 *
 * <ul>
 *   <li>Where {@link RealmException#leftBehind()} is false: nothing that this call made, but for the policy directory. The
 *       clean-up of {@code open} also removes a policy file that an earlier run left for the session. That file stays where
 *       nothing was touched: after {@code NOT_OURS}, and after any failure of step {@code LOOK}.
 *   <li>Where it is true: perhaps the realm and its policy file, or the file alone. What failed in the clean-up is a
 *       suppressed exception of {@code open}'s.
 *   <li>After an {@link InterruptedException}: what one look and one delete could not end. The policy file stays unless the
 *       realm was absent or the delete ended with 0. What had failed before the interrupt, and what failed after it, are
 *       suppressed exceptions.
 *   <li>A create that was cut short, by a deadline or by an interrupt, may go on at the gateway and make its realm after
 *       all.
 *   <li><b>Realms outlive the JVM</b>, and so do {@code openshell} processes. On an orderly end, interrupt the session
 *       threads and wait for their {@code finally}.
 * </ul>
 *
 * {@link #reap} finds all of it: call it at the next start and from time to time. (A gateway without page tokens lists a
 * hundred names at most and does not say so; there a hundred kept realms hide the rest.)
 *
 * <h2>What a runner throws</h2>
 *
 * The runner's {@link RefusedException}, and any unchecked exception or error of a custom runner, is passed on unchanged;
 * {@code open} cleans up first. An interrupted thread starts no call but one look and one delete.
 */
public final class Realms {

    private final RealmCalls calls;
    private final Path directory;
    private final PolicyDocument policy;

    private Realms(RealmCalls calls, Path directory, PolicyDocument policy) {
        this.calls = calls;
        this.directory = directory;
        this.policy = policy;
    }

    /**
     * Makes the realms of a config, for {@link SandboxProfile#standard()}.
     *
     * @param policyDirectory absolute, for the policies of this dispatcher alone; see {@link PolicyDocuments#write}. The
     *        config's {@link RuntimeConfig#policyDir()}, the operator's choice, is not used unless it is passed here
     * @throws IllegalArgumentException for a relative directory, or one outside the default file system
     */
    public static Realms of(OpenShellRunner runner, RuntimeConfig config, Path policyDirectory) {
        return of(runner, config, policyDirectory, SandboxProfile.standard());
    }

    /**
     * Makes the realms of a config. Renders their policy, and neither starts nor writes anything.
     *
     * @param policyDirectory absolute, for the policies of this dispatcher alone; see {@link PolicyDocuments#write}. The
     *        config's {@link RuntimeConfig#policyDir()}, the operator's choice, is not used unless it is passed here
     * @param profile the workload's user, and what more it may read
     * @throws IllegalArgumentException for a relative directory, or one outside the default file system
     */
    public static Realms of(OpenShellRunner runner, RuntimeConfig config, Path policyDirectory, SandboxProfile profile) {
        return of(runner, config, policyDirectory, profile, RealmClock.SYSTEM);
    }

    static Realms of(OpenShellRunner runner, RuntimeConfig config, Path policyDirectory, SandboxProfile profile,
            RealmClock clock) {
        Objects.requireNonNull(runner);
        if (!policyDirectory.isAbsolute() || !policyDirectory.getFileSystem().equals(FileSystems.getDefault())) {
            throw new IllegalArgumentException("the policy directory must be an absolute path of the default file system");
        }
        return new Realms(new RealmCalls(runner, config, clock), policyDirectory,
                PolicyDocuments.render(config.egressAllow(), config.workloadArgv().get(0), profile));
    }

    /**
     * Opens the realm of a session. When this returns, the realm is {@code READY}, the gateway shows no policy in force but
     * the one that was written, and {@code true} has run in it.
     *
     * <p>It looks whether the name is free, writes the policy, creates the realm, asks until it is {@code READY} (every
     * 100 ms, growing to a second; {@code PROVISIONING} and {@code STARTING} are waited for), compares the policy in
     * force, and runs {@code true} in it, twice at most: {@code READY} was seen for 28 seconds after a main process was
     * dead. After any failure from create on it does what {@link #close} does, but also removes the policy file if the realm
     * is another's. If create says that the name is taken, it deletes no realm, and keeps the file if the realm there is
     * ours: another open of this dispatcher was faster.
     *
     * @return what was proved. {@link RealmState#policy} of {@link #policy()} is {@code SAME}, or {@code NOT_SHOWN} by a
     *         gateway that shows none
     * @throws RealmException of every step but {@code CLOSE}, with the first reason; a failed clean-up is a suppressed
     *         exception
     * @throws RefusedException if the runner refuses a call, after the clean-up
     * @throws InterruptedException if the thread is interrupted, also during the write; where create was reached, after
     *         one look and one delete
     */
    public RealmState open(SessionId session) throws InterruptedException {
        return new RealmOpening(calls, directory, policy, session).open();
    }

    /**
     * Closes the realm of a session: when this returns, there is no realm of that name that is ours, and no policy file.
     * May be called again, and for a session that was never opened.
     *
     * <p>It looks until a look succeeds, deletes what is ours, and looks until it is gone, every 100 ms growing to a second.
     * While the realm is there and not {@code DELETING}, another delete follows each look. It deletes nothing that it has
     * not seen.
     *
     * @throws RealmException of step {@code CLOSE}: {@code NOT_OURS}, {@code CALL_FAILED} if the time was over and the last
     *         look had failed, {@code STILL_THERE}, {@code POLICY_NOT_REMOVED}
     * @throws RefusedException if the runner refuses a call
     * @throws InterruptedException if the thread is interrupted, or was on entry, after one look and one delete
     */
    public void close(SessionId session) throws InterruptedException {
        new RealmClosing(calls, directory, session).close();
    }

    /**
     * Runs a command in the realm of a session, capturing, under the config's exec timeout.
     *
     * @param command as {@link OpenShellArgv#exec} takes it
     * @return the outcome, whatever its exit code
     * @throws RefusedException if the command or the runner refuses
     * @throws OpenShellRunnerError if the run has no outcome; after a deadline the command goes on in the sandbox
     * @throws InterruptedException if the thread is interrupted; the command may go on in the sandbox
     */
    public OpenShellRunOutcome exec(SessionId session, List<String> command) throws InterruptedException {
        return exec(session, command, OpenShellRunOptions.capturing(calls.config().execTimeout()));
    }

    /**
     * Runs a command in the realm of a session.
     *
     * @param command as {@link OpenShellArgv#exec} takes it
     * @return the outcome, whatever its exit code
     * @throws RefusedException if the command or the runner refuses
     * @throws OpenShellRunnerError if the run has no outcome; after a deadline the command goes on in the sandbox
     * @throws InterruptedException if the thread is interrupted; the command may go on in the sandbox
     */
    public OpenShellRunOutcome exec(SessionId session, List<String> command, OpenShellRunOptions options)
            throws InterruptedException {
        return calls.run(OpenShellArgv.exec(session, command), Objects.requireNonNull(options));
    }

    /**
     * Asks for the state of a session's realm, ours or another's.
     *
     * @throws OpenShellRunnerError if the call has no outcome within 30 seconds, or as {@link RealmState#of}
     * @throws RefusedException if the runner refuses the call
     * @throws InterruptedException if the thread is interrupted
     */
    public RealmState state(SessionId session) throws InterruptedException {
        return calls.look(session, RealmWait.CALL);
    }

    /**
     * Lists the sessions whose realms are ours, in the order of the gateway, to the last page; unmodifiable. Each page
     * has 30 seconds. A gateway without page tokens lists a hundred at most and does not say so.
     *
     * @throws OpenShellRunnerError if a page has no outcome, or as {@link RealmPage#of}; {@code UNREADABLE_ANSWER} also
     *         for a page token that comes twice
     * @throws RefusedException if the runner refuses a call
     * @throws InterruptedException if the thread is interrupted
     */
    public Set<SessionId> list() throws InterruptedException {
        return calls.list();
    }

    /**
     * Closes the realms that are ours and not to be kept, and removes the policy files that belong to none.
     *
     * <p>It lists, asks {@code keep} about each session that it has not seen, and closes those not to be kept. It repeats
     * this until a list brings no session to close. Then it removes policy files of sessions that were on no list and are
     * not kept, and what killed writers left over an hour ago. A realm that cannot be closed is a failure in the report; the
     * others are closed all the same. If a list after the first cannot be read, no such file is removed, and the report is
     * not complete.
     *
     * <p>{@code keep} is asked once for each session, on this thread, after the list or the directory that has it was read.
     * So a dispatcher can reap while it works, if it registers each session before it opens it and keeps what is registered.
     * What {@code keep} throws is passed on at once: what was closed before stays closed, and there is no report.
     *
     * @param keep whether a session is still in use
     * @throws OpenShellRunnerError if nothing could be listed, so nothing was done: as {@link #list}
     * @throws RefusedException if the runner refuses a call
     * @throws InterruptedException if the thread is interrupted; in the midst of a close, after one look and one delete
     */
    public ReapReport reap(Predicate<SessionId> keep) throws InterruptedException {
        return new RealmReaping(calls, directory, Objects.requireNonNull(keep)).reap();
    }

    /** Returns the policy of every realm that is opened here, rendered once. */
    public PolicyDocument policy() {
        return policy;
    }

    /** Returns the owner and the directory. */
    @Override
    public String toString() {
        return "Realms[owner=" + calls.config().owner().orElse("") + ", policyDirectory="
                + Text.escaped(directory.toString()) + "]";
    }
}
