// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

/**
 * Runs {@code openshell} calls. {@link #of} gives the runner that starts processes; a test puts a lambda or
 * {@code testing.InMemoryOpenShell} in its place, an operator puts a decorator around it. What follows is about the runner of
 * {@link #of}. It is thread-safe; runs share nothing but a gate: at most two processes per processor are started at a time, and
 * a further start waits for up to a second, then goes ahead.
 *
 * <h2>The process</h2>
 * The executable of the {@link OpenShellCli} replaces the first element of the argv; there is no shell. The environment is
 * that of the {@link OpenShellCli}, the working directory {@code /}, standard input {@code /dev/null}.
 *
 * <h2>Output</h2>
 * <ul>
 *   <li>A capturing run keeps the first 262,144 bytes of each stream and drains the rest, so the process neither blocks nor
 *       dies of the bound. A discarding run leaves both streams to the operating system, which drops them.
 *   <li>The end of the process ends the run, the end of its streams does not. What the pipes hold then is taken: all that
 *       the command itself wrote. A process that it leaves behind is neither waited for nor killed.
 * </ul>
 *
 * <h2>Deadline and interrupt</h2>
 * <ul>
 *   <li>The deadline begins when the system has started the process. An exit before it is an outcome, even where this JVM
 *       was stopped meanwhile.
 *   <li>When it passes, the process and its descendants get SIGTERM and, after 200 ms, SIGKILL. That takes 300 ms as a
 *       rule, and under a second while this JVM gets processor time. Unrelated processes are never signalled; a process that
 *       left the tree by a double fork counts as unrelated.
 *   <li>An interrupt kills the same processes. One that comes during the kill is put off: the run ends with
 *       {@code TIMED_OUT} and the flag is set. One that comes after the exit leaves the outcome, and the flag is set.
 *   <li><b>The sandbox does not notice.</b> A command in it goes on to its end, and a create that was cut short leaves a
 *       sandbox behind (both seen on a real one): delete the realm.
 *   <li>The end of this JVM kills no process. Interrupt the runs before you exit.
 * </ul>
 *
 * <h2>Threads</h2>
 * <ul>
 *   <li>A run works on the calling thread and leaves no thread and no descriptor behind (the JDK keeps its own reaper).
 *   <li>A virtual thread holds no carrier while it waits. Before JDK 24 the JDK pins there, so such a run works on a platform
 *       thread of its own, which lives as long as the run and stands in the stack traces of its errors.
 *   <li>In a container let an init be process 1: it collects the processes that a killed CLI leaves to it.
 * </ul>
 *
 * <h2>What is trusted, and what is beyond reach</h2>
 * The CLI is a program of this JVM's own user. It may be broken in every way: hang, flood, ignore signals, fork, leave
 * daemons that hold its pipes. It is no attacker: it could stop this JVM as easily. So these are beyond reach:
 * <ul>
 *   <li>a process that reads back what was written to its own output pipe: a read of ours can wait past the deadline;
 *   <li>processes that left the tree by a double fork, the last children of a fork storm, and what a process forks as it
 *       ends: they live on;
 *   <li>a start that the system delays: the deadline has not begun;
 *   <li>a process that exits at once while a daemon of it floods the pipe: the JDK may drain that pipe first;
 *   <li>a limit of threads that stops the JDK after its fork: the JDK's own error comes out, and the process lives on;
 *   <li>native code in this JVM that forks: it copies the JDK's pipes;
 *   <li>a JVM without memory: the process is killed, its descendants may live on;
 *   <li>a JVM without descriptors: the JDK needs one to signal. A capturing run gives its own back and tries again; after a
 *       discarding run the process may live on, and the message says so. Each start that fails there leaks two (a JDK fault).
 * </ul>
 * <h2>Flight Recorder</h2>
 * Each run, unless it is refused or interrupted on entry, is an event {@code io.github.openshellruntime.Run} of the JDK Flight
 * Recorder. Its fields are {@code verb} (lower case), {@code sandbox} (its name or {@code ""}), {@code captured},
 * {@code exitCode} (-1 for none), {@code reason} (of the {@link OpenShellRunnerError}, {@code INTERRUPTED}, or {@code ""}),
 * {@code stdoutBytes}, {@code stderrBytes}, {@code stdoutTruncated} and {@code stderrTruncated}; no argument or output.
 */
public interface OpenShellRunner {

    /** Returns the runner that starts processes of a CLI. Cheap; starts nothing yet. */
    static OpenShellRunner of(OpenShellCli cli) {
        return new ProcessRunner(cli);
    }

    /**
     * Runs a call to its end. Blocks until then: at most for the deadline, a second, and the time that the system needs to
     * start a process; up to a second more while many others start.
     *
     * @return the exit code, whatever it is, and what was printed; see {@link OpenShellRunOutcome} for what codes say
     * @throws RefusedException with {@link RefusedException.Code#ARGV_INVALID}, rule ARGUMENT_CHARACTER, for an argument
     *         that this JVM would not hand over as its UTF-8 bytes (it was started without a UTF-8 locale). The pointer
     *         {@code /argv/0} is the first element of the command, {@code ""} what stands before the command
     * @throws OpenShellRunnerError with {@code TIMED_OUT} when the deadline passes; with {@code FAILED} and
     *         {@code EXECUTABLE_NOT_FOUND}, {@code EXECUTABLE_NOT_EXECUTABLE}, {@code ARGUMENTS_TOO_LARGE} or
     *         {@code LAUNCH_FAILED} when the process cannot be started (the JDK hands a file without a known format to
     *         {@code /bin/sh}); with {@code OUTPUT_FAILED} when a stream cannot be read
     * @throws InterruptedException if the thread is interrupted, before the start (nothing is started) or during the run
     *         (its process tree is killed; the message says where it still runs)
     */
    OpenShellRunOutcome run(OpenShellArgv argv, OpenShellRunOptions options) throws InterruptedException;
}
