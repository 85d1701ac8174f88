// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime.testing;

import io.github.openshellruntime.CapturedOutput;
import io.github.openshellruntime.OpenShellArgv;
import io.github.openshellruntime.OpenShellArgv.Verb;
import io.github.openshellruntime.OpenShellRunOptions;
import io.github.openshellruntime.OpenShellRunOutcome;
import io.github.openshellruntime.OpenShellRunner;
import io.github.openshellruntime.OpenShellRunnerError;
import io.github.openshellruntime.PolicyDocuments;
import io.github.openshellruntime.SessionId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An OpenShell CLI and its gateway in memory, for the tests of a dispatcher. It starts no process and contains nothing; the
 * only file it reads is the policy that create names.
 *
 * <pre>{@code
 * InMemoryOpenShell openShell = new InMemoryOpenShell().onExec(argv ->
 *         OpenShellRunOutcome.captured(0, Duration.ZERO, CapturedOutput.ofText("hello\n"), CapturedOutput.ofText("")));
 * Realms realms = Realms.of(openShell, config, policyDirectory);
 * }</pre>
 *
 * <p>It answers as OpenShell 0.0.112-dev does, byte for byte where 0.0.111 answers alike:
 *
 * <ul>
 *   <li>create reads the policy file and makes a realm. It is exit 1 for a file that is missing or is not as
 *       {@link PolicyDocuments#write} writes it, and for a name that is taken.
 *   <li>get gives the realm as JSON, with its phase, its labels and the policy in force in the gateway's own form. It is
 *       exit 1 for an absent realm.
 *   <li>exec asks {@link #onExec}. It is exit 1 for a realm that is absent or not ready.
 *   <li>list gives the names of the realms that have the labels, the oldest first, 100 a page.
 *   <li>delete removes the realm before it returns. It is exit 1 for an absent realm.
 *   <li>version is {@code openshell 0.1.2}.
 * </ul>
 *
 * <p>A call takes no time: {@link OpenShellRunOutcome#elapsed()} is zero and no deadline passes, unless {@link #answer},
 * {@link #fail} or {@link #onExec} says otherwise. An interrupted thread gets an {@link InterruptedException} and nothing happens.
 *
 * <p>Thread-safe. The settings return this object.
 */
public final class InMemoryOpenShell implements OpenShellRunner {

    private static final int PAGE_SIZE = 100;
    private static final String PAGE_TOKEN = "--page-token=";
    private static final String FIRST_PAGE = "";
    private static final String NOT_FOUND = "code: 'Some requested entity was not found', message: \"sandbox not found\"";
    private static final String TAKEN = """
            sandbox '%s' already exists

            hint: delete it first with: openshell sandbox delete <name>
                  or use a different name""";
    private static final DateTimeFormatter CREATED_AT =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** Where the CLI breaks a line of a message: after 74 characters at most. */
    private static final Pattern LINE_BREAK =
            Pattern.compile("(?=.{75})(.{1,74})(?: |(?<=/)(?=\\p{Alpha})|(?<=\\p{Alnum}-)(?=\\p{Alnum}))");

    /** A policy as {@link PolicyDocuments} writes it, in the parts that the gateway puts into another order. */
    private static final Pattern POLICY = Pattern.compile("""
            \\{
              "version": 1,
              "filesystem_policy": (?<files>\\{
                "include_workdir": true,
                "read_only": \\[.*)(?<writable>
                ],
                "read_write": \\[.*
                ]
              }),
              "landlock": (?<landlock>\\{.*
              }),
              "process": \\{(}|
                (?<user>"run_as_user": "\\w+"),
                (?<group>"run_as_group": "\\w+")
              }),
              "network_policies": \\{(}|
                "workload_egress": \\{
                  "name": "workload-egress",
                  (?<endpoints>"endpoints": \\[.*
                  ]),
                  (?<binaries>"binaries": \\[.*
                  ])
                }
              })
            }
            """, Pattern.DOTALL);
    private static final String LOG = "\"/var/log\"";
    private static final Pattern ONE_PORT = Pattern.compile("\"ports\": \\[\\s+(\\d+)\\s+]");

    private final Map<SessionId, Realm> realms = new LinkedHashMap<>();
    private final Map<String, Integer> lastBeforePage = new HashMap<>(Map.of(FIRST_PAGE, 0));
    private final Map<Verb, Queue<Supplier<OpenShellRunOutcome>>> standIns = new EnumMap<>(Verb.class);
    private final List<OpenShellArgv> calls = new ArrayList<>();
    private Function<OpenShellArgv, OpenShellRunOutcome> commands = argv -> outcome(0, "", "");
    private String policySource = "sandbox";
    private int provisioningLooks;
    private int created;

    /** A sandbox, as the gateway keeps it. */
    private static final class Realm {
        private final String id = UUID.randomUUID().toString();
        private final Instant createdAt = Instant.now();
        private final String name;
        private final int number;
        private final List<String> labels;
        private final String policy;
        private int provisioningLooks;

        Realm(String name, int number, List<String> labels, String policy, int provisioningLooks) {
            this.name = name;
            this.number = number;
            this.labels = labels;
            this.policy = policy;
            this.provisioningLooks = provisioningLooks;
        }

        String phase() {
            return provisioningLooks > 0 ? "Provisioning" : "Ready";
        }
    }

    /** Makes a gateway that has no realms. */
    public InMemoryOpenShell() {
        // Everything has its first value above.
    }

    /**
     * Sets what commands do: the function is asked for each exec in a realm that is ready, also for the command {@code true}
     * of {@link io.github.openshellruntime.Realms#open}. At first every command ends with 0 and prints nothing.
     *
     * <p>The function runs on the thread of the call and holds no lock, so it may run several times at once, may block, and
     * may use this object. What it throws, the call throws.
     *
     * @param commands gives the outcome of {@link OpenShellArgv#command()}, never {@code null}
     */
    public synchronized InMemoryOpenShell onExec(Function<OpenShellArgv, OpenShellRunOutcome> commands) {
        this.commands = Objects.requireNonNull(commands);
        return this;
    }

    /**
     * Ends the next call of a verb with this outcome instead of doing it: the gateway does not change. Several answers
     * queue, one for each call, together with those of {@link #fail}.
     */
    public InMemoryOpenShell answer(Verb verb, OpenShellRunOutcome outcome) {
        Objects.requireNonNull(outcome);
        return standIn(verb, () -> outcome);
    }

    /** Ends the next call of a verb with this error, as {@link #answer} does with an outcome. */
    public InMemoryOpenShell fail(Verb verb, OpenShellRunnerError error) {
        Objects.requireNonNull(error);
        return standIn(verb, () -> {
            throw error;
        });
    }

    private synchronized InMemoryOpenShell standIn(Verb verb, Supplier<OpenShellRunOutcome> end) {
        standIns.computeIfAbsent(verb, none -> new ArrayDeque<>()).add(end);
        return this;
    }

    /**
     * Sets how many gets of a realm say {@code Provisioning} before it is {@code Ready}: 0 at first. Applies to realms
     * created from now on.
     *
     * @throws IllegalArgumentException for a negative number
     */
    public synchronized InMemoryOpenShell provisioning(int looks) {
        if (looks < 0) {
            throw new IllegalArgumentException("the number of looks must not be negative");
        }
        provisioningLooks = looks;
        return this;
    }

    /** Sets the {@code policy_source} that get shows: {@code sandbox} at first, {@code global} under a global policy. */
    public synchronized InMemoryOpenShell policySource(String source) {
        policySource = Objects.requireNonNull(source);
        return this;
    }

    /** Returns the argv of every call so far, in their order; unmodifiable. */
    public synchronized List<OpenShellArgv> calls() {
        return List.copyOf(calls);
    }

    /**
     * Answers a call.
     *
     * @return a captured outcome, or a discarded one where the options discard
     * @throws OpenShellRunnerError as {@link #fail} was given it
     * @throws InterruptedException if the thread is interrupted; nothing was done and the flag is cleared
     */
    @Override
    public OpenShellRunOutcome run(OpenShellArgv argv, OpenShellRunOptions options) throws InterruptedException {
        Objects.requireNonNull(argv);
        Objects.requireNonNull(options);
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before a call; nothing was done");
        }
        OpenShellRunOutcome outcome = Objects.requireNonNull(call(argv).get(), "the function of onExec gave no outcome");
        return options.captureOutput()
                ? OpenShellRunOutcome.captured(outcome.exitCode(), outcome.elapsed(), outcome.stdout(), outcome.stderr())
                : OpenShellRunOutcome.discarded(outcome.exitCode(), outcome.elapsed());
    }

    /** Does all of a call but the function of onExec, which runs without the lock. */
    private synchronized Supplier<OpenShellRunOutcome> call(OpenShellArgv argv) {
        calls.add(argv);
        Queue<Supplier<OpenShellRunOutcome>> queued = standIns.getOrDefault(argv.verb(), new ArrayDeque<>());
        if (!queued.isEmpty()) {
            return queued.remove();
        }
        Realm realm = argv.session().map(realms::get).orElse(null);
        if (argv.verb() == Verb.EXEC && realm != null && realm.provisioningLooks <= 0) {
            Function<OpenShellArgv, OpenShellRunOutcome> asked = commands;
            return () -> asked.apply(argv);
        }
        OpenShellRunOutcome outcome = switch (argv.verb()) {
            case CREATE -> create(argv);
            case LIST -> list(argv);
            case VERSION -> outcome(0, "openshell 0.1.2\n", "");
            case GET -> realm == null ? failure(NOT_FOUND) : get(realm);
            case DELETE -> realm == null ? failure(NOT_FOUND) : delete(argv);
            case EXEC -> failure(realm == null ? NOT_FOUND : "sandbox '" + realm.name + "' is not ready (phase: "
                    + realm.phase() + "); wait for it to reach Ready state");
        };
        return () -> outcome;
    }

    private OpenShellRunOutcome create(OpenShellArgv argv) {
        SessionId session = argv.session().orElseThrow();
        String name = session.sandboxName();
        String path = options(argv, "--policy").get(0);
        Matcher policy;
        try {
            policy = POLICY.matcher(Files.readString(Path.of(path)));
        } catch (IOException e) {
            return failure("failed to read sandbox policy from " + path, e instanceof NoSuchFileException
                    ? "No such file or directory (os error 2)" : "it cannot be read");
        }
        if (!policy.matches()) {
            return failure("failed to parse sandbox policy YAML", "not as PolicyDocuments writes it");
        }
        if (realms.containsKey(session)) {
            return failure(TAKEN.formatted(name));
        }
        realms.put(session, new Realm(name, ++created, options(argv, "--label"), inForce(policy), provisioningLooks));
        return outcome(0, "\n\u001b[1m\u001b[36mCreated sandbox:\u001b[39m\u001b[0m \u001b[1m" + name
                + "\u001b[0m\n\n  \u001b[2m[0.0s]\u001b[0m Requesting compute...\n", "");
    }

    private OpenShellRunOutcome get(Realm realm) {
        String phase = realm.phase();
        realm.provisioningLooks--;
        String labels = realm.labels.stream().map(label -> "    \"" + label.replace("=", "\": \"") + "\"")
                .collect(Collectors.joining(",\n"));
        return outcome(0, """
                {
                  "annotations": {},
                  "created_at": "%s",
                  "current_policy_version": 1,
                  "id": "%s",
                  "labels": {
                %s
                  },
                  "name": "%s",
                  "phase": "%s",
                  "policy": %s,
                  "policy_source": %s,
                  "resource_version": 1,
                  "revision": 1,
                  "workspace": "default"
                }
                """.formatted(CREATED_AT.format(realm.createdAt), realm.id, labels, realm.name, phase, realm.policy,
                quoted(policySource)), "");
    }

    private OpenShellRunOutcome delete(OpenShellArgv argv) {
        Realm gone = realms.remove(argv.session().orElseThrow());
        return outcome(0, "\u001b[1m\u001b[32m✓\u001b[39m\u001b[0m Deleted sandbox " + gone.name + "\n", "");
    }

    private OpenShellRunOutcome list(OpenShellArgv argv) {
        String token = argv.asList().stream().filter(element -> element.startsWith(PAGE_TOKEN))
                .map(element -> element.substring(PAGE_TOKEN.length())).findFirst().orElse(FIRST_PAGE);
        Integer after = lastBeforePage.get(token);
        if (after == null) {
            return failure("code: 'Client specified an invalid argument', message: \"invalid page token\"");
        }
        List<String> selector = List.of(options(argv, "--selector").get(0).split(","));
        List<Realm> found = realms.values().stream()
                .filter(realm -> realm.number > after && realm.labels.containsAll(selector)).toList();
        String names = found.stream().limit(PAGE_SIZE).map(realm -> realm.name + "\n").collect(Collectors.joining());
        if (found.size() <= PAGE_SIZE) {
            return outcome(0, names, "");
        }
        String next = UUID.randomUUID().toString();
        lastBeforePage.put(next, found.get(PAGE_SIZE - 1).number);
        return outcome(0, names, "Next page token: " + next + "\n");
    }

    /** What stands behind an option, each time; the command is not looked at. */
    private static List<String> options(OpenShellArgv argv, String option) {
        List<String> own = argv.asList().subList(0, argv.asList().size() - argv.command().size());
        return IntStream.range(1, own.size()).filter(i -> own.get(i - 1).equals(option)).mapToObj(own::get).toList();
    }

    /** A policy as the gateway shows it: sorted, without what is empty, and with its own log beside a network rule. */
    private static String inForce(Matcher policy) {
        boolean network = policy.group("endpoints") != null;
        String files = policy.group("files");
        List<String> sections = new ArrayList<>();
        sections.add("\"filesystem_policy\": " + files
                + (network && !files.contains(LOG) ? ",\n      " + LOG : "") + policy.group("writable"));
        sections.add("\"landlock\": " + policy.group("landlock"));
        if (network) {
            sections.add("""
                    "network_policies": {
                        "workload_egress": {
                          %s,
                          %s,
                          "name": "workload-egress"
                        }
                      }""".formatted(policy.group("binaries"),
                    ONE_PORT.matcher(policy.group("endpoints")).replaceAll("\"port\": $1")));
        }
        if (policy.group("user") != null) {
            sections.add("\"process\": {\n    " + policy.group("group") + ",\n    " + policy.group("user") + "\n  }");
        }
        sections.add("\"version\": 1");
        return ("{\n  " + String.join(",\n  ", sections) + "\n}").replace("\n", "\n  ");
    }

    private static String quoted(String text) {
        return text.chars()
                .mapToObj(c -> c < ' ' || c == '"' || c == '\\' ? String.format("\\u%04x", c) : Character.toString(c))
                .collect(Collectors.joining("", "\"", "\""));
    }

    private static OpenShellRunOutcome failure(String message) {
        return outcome(1, "", "Error:   × " + framed(message) + "\n\n");
    }

    private static OpenShellRunOutcome failure(String message, String cause) {
        return outcome(1, "", "Error:   × " + framed(message) + "\n  ╰─▶ " + cause + "\n\n");
    }

    private static String framed(String message) {
        return LINE_BREAK.matcher(message).replaceAll("$1\n").replace("\n", "\n  │ ");
    }

    private static OpenShellRunOutcome outcome(int exitCode, String stdout, String stderr) {
        return OpenShellRunOutcome.captured(exitCode, Duration.ZERO, CapturedOutput.ofText(stdout),
                CapturedOutput.ofText(stderr));
    }
}
