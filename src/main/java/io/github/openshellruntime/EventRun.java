// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** One run of the CLI for the Flight Recorder: no argument, no output, no environment value. */
@Name("io.github.openshellruntime.Run")
@Label("OpenShell Run")
@Category("OpenShell")
@Description("One run of the openshell CLI, from the call to its outcome or error")
@StackTrace(false)
final class EventRun extends Event {

    @Label("Verb")
    String verb;

    @Label("Sandbox")
    String sandbox;

    @Label("Captured")
    boolean captured;

    @Label("Exit Code")
    @Description("-1 when there is no outcome")
    int exitCode = -1;

    @Label("Reason")
    @Description("Why there is no outcome; empty when there is one")
    String reason = "";

    @Label("Stdout Bytes")
    @DataAmount
    long stdoutBytes;

    @Label("Stderr Bytes")
    @DataAmount
    long stderrBytes;

    @Label("Stdout Truncated")
    boolean stdoutTruncated;

    @Label("Stderr Truncated")
    boolean stderrTruncated;

    /** What is recorded. */
    interface Run {
        OpenShellRunOutcome call() throws InterruptedException;
    }

    /** Calls a run and records its result, if a recording is on. */
    static OpenShellRunOutcome record(OpenShellArgv argv, OpenShellRunOptions options, Run run) throws InterruptedException {
        EventRun event = new EventRun();
        event.begin();
        try {
            OpenShellRunOutcome outcome = run.call();
            event.exitCode = outcome.exitCode();
            event.end(argv, options, outcome.stdout(), outcome.stderr());
            return outcome;
        } catch (OpenShellRunnerError e) {
            event.reason = e.reason().name();
            event.end(argv, options, e.stdout(), e.stderr());
            throw e;
        } catch (InterruptedException e) {
            event.reason = "INTERRUPTED";
            event.end(argv, options, CapturedOutput.EMPTY, CapturedOutput.EMPTY);
            throw e;
        }
    }

    private void end(OpenShellArgv argv, OpenShellRunOptions options, CapturedOutput stdout, CapturedOutput stderr) {
        if (shouldCommit()) {
            verb = argv.verb().word();
            sandbox = argv.session().map(SessionId::sandboxName).orElse("");
            captured = options.captureOutput();
            stdoutBytes = stdout.totalBytes();
            stderrBytes = stderr.totalBytes();
            stdoutTruncated = stdout.truncated();
            stderrTruncated = stderr.truncated();
            commit();
        }
    }
}
