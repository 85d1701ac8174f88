// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.OpenShellArgv.Verb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * A gateway in memory that answers as OpenShell does, and at each call may misbehave as gateways, networks and local
 * processes do. It keeps account of what it was asked, and of every realm that somebody deletes whose it is not.
 */
final class MisbehavingGateway {

    /** What becomes of a call. Those that end in _DONE took effect although nobody was told. */
    enum Fault {
        NONE(true), SLOW(true), TRANSPORT_ERROR(false), TRANSPORT_ERROR_DONE(true), TIMED_OUT(false), TIMED_OUT_DONE(true),
        GARBAGE(false), GARBAGE_DONE(true), NOT_STARTED(false), INTERRUPTED(false), INTERRUPTED_DONE(true),
        /** The local process is gone, and what it asked for is done after some more calls of others. */
        TIMED_OUT_LATE(false), INTERRUPTED_LATE(false),
        /** The interrupt came after the exit: the runner returns the outcome with the flag set. */
        INTERRUPTED_AFTER(true);

        private final boolean takesEffect;

        Fault(boolean takesEffect) {
            this.takesEffect = takesEffect;
        }

        boolean isLate() {
            return this == TIMED_OUT_LATE || this == INTERRUPTED_LATE;
        }
    }

    /** A sandbox. */
    static final class Sandbox {
        final Map<String, String> labels;
        /** Whose life made it. */
        final Object maker;
        String phase;
        String policy = "";
        int looksUntilReady;
        int looksUntilGone = -1;

        Sandbox(Map<String, String> labels, String phase, Object maker) {
            this.labels = labels;
            this.phase = phase;
            this.maker = maker;
        }

        @Override
        public String toString() {
            return phase + " " + labels;
        }
    }

    /** A call as the gateway was asked it. */
    record Call(OpenShellArgv argv, OpenShellRunOptions options) {

        Verb verb() {
            return argv.verb();
        }

        @Override
        public String toString() {
            return verb().word() + argv.session().map(session -> " " + session).orElse("");
        }
    }

    static final OpenShellRunOutcome TRANSPORT_ERROR =
            answer(1, "", "Error:   × transport error\n  ╰─▶ tcp connect error: Connection refused\n");

    private static final int LATE = 20;

    final VirtualClock clock = new VirtualClock();
    private final Map<String, Sandbox> sandboxes = new TreeMap<>();
    private final List<Call> calls = new ArrayList<>();
    /** What a create that was cut short still makes, by the number of the call after which it is made. */
    private final TreeMap<Integer, Map.Entry<String, Sandbox>> late = new TreeMap<>();
    private final List<String> violations = new ArrayList<>();
    private int looksUntilReady;
    private int looksUntilGone;
    private int pageSize = 100;
    private String newPhase = "Ready";
    private String policySource = "sandbox";

    synchronized MisbehavingGateway looksUntilReady(int looks) {
        looksUntilReady = looks;
        return this;
    }

    /** How many looks find a sandbox that was deleted. */
    synchronized MisbehavingGateway looksUntilGone(int looks) {
        looksUntilGone = looks;
        return this;
    }

    synchronized MisbehavingGateway pageSize(int size) {
        pageSize = size;
        return this;
    }

    synchronized MisbehavingGateway newPhase(String phase) {
        newPhase = phase;
        return this;
    }

    /** {@code null}: no source and no policy is shown. */
    synchronized MisbehavingGateway policySource(String source) {
        policySource = source;
        return this;
    }

    synchronized MisbehavingGateway put(String name, String phase, Map<String, String> labels) {
        sandboxes.put(name, new Sandbox(labels, phase, "nobody"));
        return this;
    }

    synchronized void putIfAbsent(String name, String phase, Map<String, String> labels) {
        sandboxes.putIfAbsent(name, new Sandbox(labels, phase, "nobody"));
    }

    synchronized void remove(String name) {
        sandboxes.remove(name);
    }

    synchronized List<String> names() {
        return List.copyOf(sandboxes.keySet());
    }

    synchronized boolean isThereAndNotDeleted(String name) {
        return sandboxes.containsKey(name) && !sandboxes.get(name).phase.equals("Deleting");
    }

    synchronized List<Sandbox> madeBy(Object maker) {
        return sandboxes.values().stream().filter(sandbox -> sandbox.maker.equals(maker)).toList();
    }

    synchronized List<Call> calls() {
        return List.copyOf(calls);
    }

    synchronized List<String> violations() {
        return List.copyOf(violations);
    }

    /** A runner of a dispatcher that never misbehaves. */
    OpenShellRunner runner(RuntimeConfig config) {
        return runner(config, "somebody", (argv, options) -> Fault.NONE);
    }

    /**
     * A runner of a dispatcher.
     *
     * @param maker whose life the realms are that are made by it
     */
    OpenShellRunner runner(RuntimeConfig config, Object maker, BiFunction<OpenShellArgv, OpenShellRunOptions,
            Fault> faults) {
        return (argv, options) -> {
            if (Thread.interrupted()) {
                throw new InterruptedException("before the start");
            }
            Fault fault = faults.apply(argv, options);
            if (fault.isLate()) {
                late(argv, options, config, maker);
            }
            OpenShellRunOutcome outcome = fault.takesEffect ? answer(argv, options, config, maker) : TRANSPORT_ERROR;
            return misbehave(fault, outcome, options);
        };
    }

    private OpenShellRunOutcome misbehave(Fault fault, OpenShellRunOutcome outcome, OpenShellRunOptions options)
            throws InterruptedException {
        clock.pass(Duration.ofMillis(100));
        switch (fault) {
            case SLOW -> {
                Duration time = Duration.ofSeconds(20);
                if (time.compareTo(options.deadline()) > 0) {
                    return timedOut(options);
                }
                clock.pass(time);
                return outcome;
            }
            case TRANSPORT_ERROR, TRANSPORT_ERROR_DONE -> {
                return TRANSPORT_ERROR;
            }
            case TIMED_OUT, TIMED_OUT_DONE, TIMED_OUT_LATE -> {
                return timedOut(options);
            }
            case GARBAGE, GARBAGE_DONE -> {
                return answer(0, "WARN {\"phase\": ", "");
            }
            case NOT_STARTED -> throw OpenShellRunnerError.failed(OpenShellRunnerError.Reason.LAUNCH_FAILED);
            case INTERRUPTED, INTERRUPTED_DONE,
                    INTERRUPTED_LATE -> throw new InterruptedException("the local process was killed");
            case INTERRUPTED_AFTER -> {
                Thread.currentThread().interrupt();
                return outcome;
            }
            default -> {
                return outcome;
            }
        }
    }

    private OpenShellRunOutcome timedOut(OpenShellRunOptions options) {
        clock.pass(options.deadline());
        throw OpenShellRunnerError.timedOut(options.deadline(), CapturedOutput.EMPTY, CapturedOutput.EMPTY);
    }

    static OpenShellRunOutcome answer(int exitCode, String stdout, String stderr) {
        return OpenShellRunOutcome.captured(exitCode, Duration.ofMillis(100), CapturedOutput.ofText(stdout),
                CapturedOutput.ofText(stderr));
    }

    /** Keeps a create, with the policy that it was given, for later. */
    private synchronized void late(OpenShellArgv argv, OpenShellRunOptions options, RuntimeConfig config, Object maker) {
        if (argv.verb() != Verb.CREATE) {
            return;
        }
        String name = argv.session().orElseThrow().sandboxName();
        Sandbox before = sandboxes.remove(name);
        create(name, argv.asList(), maker);
        Sandbox made = sandboxes.remove(name);
        if (before != null) {
            sandboxes.put(name, before);
        }
        late.put(calls.size() + LATE, Map.entry(name, made));
    }

    private void doWhatIsDue(int number) {
        Map<Integer, Map.Entry<String, Sandbox>> due = late.headMap(number, true);
        due.values().forEach(made -> sandboxes.putIfAbsent(made.getKey(), made.getValue()));
        due.clear();
    }

    /** Ends every trouble: what is late is done, and what is being deleted goes at the next look. */
    synchronized void settle() {
        doWhatIsDue(Integer.MAX_VALUE);
        looksUntilGone = 0;
        sandboxes.values().stream().filter(sandbox -> sandbox.looksUntilGone > 0)
                .forEach(sandbox -> sandbox.looksUntilGone = 0);
    }

    private synchronized OpenShellRunOutcome answer(OpenShellArgv argv, OpenShellRunOptions options, RuntimeConfig config,
            Object maker) {
        calls.add(new Call(argv, options));
        doWhatIsDue(calls.size());
        String name = argv.session().map(SessionId::sandboxName).orElse("");
        return switch (argv.verb()) {
            case CREATE -> create(name, argv.asList(), maker);
            case GET -> get(name);
            case DELETE -> delete(name, config);
            case LIST -> list(argv.asList());
            case EXEC -> exec(name);
            case VERSION -> answer(0, "openshell 0.1.2\n", "");
        };
    }

    private OpenShellRunOutcome create(String name, List<String> argv, Object maker) {
        if (sandboxes.containsKey(name)) {
            return answer(1, "", "Error:   × sandbox '" + name + "' already exists\n  │\n  │ hint: delete it first\n");
        }
        Map<String, String> labels = Collections.unmodifiableMap(new TreeMap<>(labels(argv)));
        Sandbox sandbox = new Sandbox(labels, looksUntilReady > 0 ? "Provisioning" : newPhase, maker);
        sandbox.looksUntilReady = looksUntilReady;
        try {
            sandbox.policy = Files.readString(Path.of(argv.get(argv.indexOf("--policy") + 1)));
        } catch (IOException e) {
            return answer(1, "", "Error:   × failed to read policy\n");
        }
        sandboxes.put(name, sandbox);
        return answer(0, "Created sandbox " + name + "\n", "");
    }

    private static Map<String, String> labels(List<String> argv) {
        Map<String, String> labels = new TreeMap<>();
        for (int i = 0; !argv.get(i).equals("--"); i++) {
            if (argv.get(i).equals("--label")) {
                String[] label = argv.get(i + 1).split("=", 2);
                labels.put(label[0], label[1]);
            }
        }
        return labels;
    }

    private OpenShellRunOutcome get(String name) {
        Sandbox sandbox = sandboxes.get(name);
        if (sandbox == null) {
            return answer(1, "",
                    "Error:   × code: 'Some requested entity was not found', message: \"sandbox not\n  │ found\"\n");
        }
        if (sandbox.looksUntilGone == 0) {
            sandboxes.remove(name);
            return get(name);
        }
        sandbox.looksUntilGone--;
        if (sandbox.looksUntilReady > 0 && sandbox.phase.equals("Provisioning") && --sandbox.looksUntilReady == 0) {
            sandbox.phase = newPhase;
        }
        String labels = sandbox.labels.entrySet().stream().map(label -> "\"" + label.getKey() + "\": \""
                + label.getValue() + "\"")
                .collect(Collectors.joining(", "));
        String policy = policySource == null || sandbox.policy.isEmpty() ? ""
                : ", \"policy_source\": \"" + policySource + "\", \"policy\": " + sandbox.policy;
        return answer(0, "{\"name\": \"" + name + "\", \"phase\": \"" + sandbox.phase + "\", \"labels\": {" + labels
                + "}" + policy
                + "}\n", "");
    }

    private OpenShellRunOutcome delete(String name, RuntimeConfig config) {
        Sandbox sandbox = sandboxes.get(name);
        if (sandbox == null) {
            return answer(1, "", "Error:   × code: 'Some requested entity was not found', message: \"sandbox not found\"\n");
        }
        if (!isOf(sandbox, config)) {
            violations.add(config.owner() + " deleted " + name + " of " + sandbox.labels);
        }
        if (looksUntilGone == 0) {
            sandboxes.remove(name);
        } else if (sandbox.looksUntilGone < 0) {
            sandbox.phase = "Deleting";
            sandbox.looksUntilGone = looksUntilGone;
        }
        return answer(0, "Deleted sandbox " + name + "\n", "");
    }

    private static boolean isOf(Sandbox sandbox, RuntimeConfig config) {
        return "openshell-runtime".equals(sandbox.labels.get("managed-by"))
                && (config.owner().isEmpty() || config.owner().get().equals(sandbox.labels.get("owner")));
    }

    private OpenShellRunOutcome list(List<String> argv) {
        Map<String, String> wanted = new TreeMap<>();
        int after = 0;
        for (int i = 0; i < argv.size(); i++) {
            if (argv.get(i).equals("--selector")) {
                for (String pair : argv.get(i + 1).split(",")) {
                    wanted.put(pair.split("=", 2)[0], pair.split("=", 2)[1]);
                }
            } else if (argv.get(i).startsWith("--page-token=")) {
                after = Integer.parseInt(argv.get(i).substring("--page-token=".length()));
            }
        }
        List<String> names = sandboxes.entrySet().stream()
                .filter(sandbox -> sandbox.getValue().labels.entrySet().containsAll(wanted.entrySet()))
                        .map(Map.Entry::getKey).toList();
        int end = Math.min(names.size(), after + pageSize);
        String more = end < names.size() ? "Next page token: " + end + "\n" : "";
        return answer(0, names.subList(Math.min(after, end), end).stream().map(name -> name + "\n")
                .collect(Collectors.joining()), more);
    }

    private OpenShellRunOutcome exec(String name) {
        Sandbox sandbox = sandboxes.get(name);
        boolean runs = sandbox != null && sandbox.phase.equals("Ready");
        return runs ? answer(0, "", "") : answer(1, "", "Error:   × sandbox is not ready\n");
    }
}
