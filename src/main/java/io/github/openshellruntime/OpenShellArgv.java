// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.Problem.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The exact argv of an {@code openshell} call, frozen: there is no way to add a flag. The first element is
 * {@code openshell}; {@link OpenShellRunner} puts the executable in its place. Immutable and thread-safe; equal when the
 * elements are.
 *
 * <pre>{@code
 * create  openshell sandbox create --name realm-<id> --policy <absolute path> --label managed-by=openshell-runtime
 *                   [--label owner=<owner>] [--from <image>] --no-tty --detach -- <workloadArgv...>
 * exec    openshell sandbox exec --name realm-<id> --workdir /workspace --no-tty --no-login-shell -- <argv...>
 * get     openshell sandbox get realm-<id> -o json
 * list    openshell sandbox list --selector managed-by=openshell-runtime[,owner=<owner>] [--page-token=<token>] --names
 * delete  openshell sandbox delete realm-<id>
 * version openshell --version
 * }</pre>
 *
 * A command after {@code --} is handed over byte for byte. This type neither builds nor judges commands:
 * {@code ["/bin/sh","-c",script]} is a command like any other. Before the {@code --} there is never an {@code --env},
 * {@code --provider}, {@code --driver-config-json}, {@code --forward}, {@code --expose}, {@code --template} or
 * {@code --auto-providers}. Everything on an argv can be read by every user of the machine: no secrets.
 */
public final class OpenShellArgv {

    /** The label that every realm of this library has. */
    public static final String MANAGED_LABEL = "managed-by";

    /** The value of {@link #MANAGED_LABEL}. */
    public static final String MANAGED_LABEL_VALUE = "openshell-runtime";

    /** The label that holds the owner of a config, where it has one. */
    public static final String OWNER_LABEL = "owner";

    /** What a call does. {@code toString()} is {@code name()}; constants may be added, never renamed. */
    public enum Verb {
        /** Creates a realm. */
        CREATE,
        /** Runs a command in a realm. */
        EXEC,
        /** Asks for a realm. */
        GET,
        /** Lists realms. */
        LIST,
        /** Deletes a realm. */
        DELETE,
        /** Asks for the version of the CLI. */
        VERSION;

        /** As OpenShell writes it. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final String WORKDIR = "/workspace";
    private static final Pattern PAGE_TOKEN = Pattern.compile("[ -~]{1,4096}");
    /** What the gateway puts before a command, and the characters that it leaves unquoted. */
    private static final String SHELL_PREFIX = "cd " + WORKDIR + " && ";
    private static final Pattern BARE = Pattern.compile("[A-Za-z0-9./_-]+");

    private final Verb verb;
    private final Optional<SessionId> session;
    private final List<String> argv;
    private final List<String> command;

    OpenShellArgv(Verb verb, Optional<SessionId> session, List<String> argv, List<String> command) {
        List<String> all = new ArrayList<>(argv);
        all.addAll(command);
        this.verb = verb;
        this.session = session;
        this.argv = List.copyOf(all);
        this.command = command;
    }

    /**
     * Creates the realm of a session and starts the config's workload in it, detached.
     *
     * <p>Exit 0 does not mean that it runs. A create that fails or is cut short by a deadline may leave a sandbox behind
     * under its name. {@link Realms#open} takes care of both.
     *
     * @param policy as {@link PolicyDocuments#write} returned it for this session; must still be in place, which is not
     *         checked
     * @throws RefusedException with {@link RefusedException.Code#ARGV_INVALID}, rule
     *         {@link Problem.Rule#POLICY_MISMATCH POLICY_MISMATCH}, if the policy was written for another allowlist or
     *         another workload than the config's
     */
    public static OpenShellArgv create(WrittenPolicy policy, RuntimeConfig config) {
        if (!policy.egressAllow().equals(config.egressAllow())
                || !policy.workloadBinary().equals(config.workloadArgv().get(0))) {
            throw refused(Rule.POLICY_MISMATCH, "", "the policy was written for another allowlist or workload",
                    "write the policy of this config and create with that");
        }
        return create(policy.session(), policy.path().toString(), config);
    }

    /** The form of create, for a policy that stands at {@code policyPath} or will. */
    static OpenShellArgv create(SessionId session, String policyPath, RuntimeConfig config) {
        List<String> argv = new ArrayList<>(List.of("openshell", "sandbox", "create", "--name", session.sandboxName(),
                "--policy", policyPath, "--label", MANAGED_LABEL + "=" + MANAGED_LABEL_VALUE));
        config.owner().ifPresent(owner -> argv.addAll(List.of("--label", OWNER_LABEL + "=" + owner)));
        config.image().ifPresent(image -> argv.addAll(List.of("--from", image)));
        argv.addAll(List.of("--no-tty", "--detach", "--"));
        return new OpenShellArgv(Verb.CREATE, Optional.of(session), argv, config.workloadArgv());
    }

    /**
     * Runs a command in the realm of a session, in {@code /workspace}, without a login shell. Needs OpenShell 0.1.0: an
     * older CLI runs {@code --no-login-shell} as the command, which is why {@link OpenShellCli#verify} asks for a version.
     *
     * @param command 1 to 1,024 elements, the first not empty, each of at most 32,768 bytes of UTF-8; together at most
     *        262,144 bytes in the shell line that the gateway makes of them (an element of {@code A-Za-z0-9./_-} as it is,
     *        an empty one as two quotes, any other two bytes longer and four more for each {@code '}, joined by spaces,
     *        behind {@code cd /workspace && }). These are the limits of OpenShell's gateway
     * @throws RefusedException with {@link RefusedException.Code#ARGV_INVALID}; rules COMMAND_EMPTY, ARGUMENT_COUNT,
     *         ARGUMENT_SIZE, and ARGUMENT_CHARACTER for a NUL or a lone surrogate
     */
    public static OpenShellArgv exec(SessionId session, List<String> command) {
        List<String> copy = List.copyOf(command);
        checkCommand(copy);
        return new OpenShellArgv(Verb.EXEC, Optional.of(session), List.of("openshell", "sandbox", "exec", "--name",
                session.sandboxName(), "--workdir", WORKDIR, "--no-tty", "--no-login-shell", "--"), copy);
    }

    /** Asks for the realm of a session, as JSON on standard output. */
    public static OpenShellArgv get(SessionId session) {
        return new OpenShellArgv(Verb.GET, Optional.of(session),
                List.of("openshell", "sandbox", "get", session.sandboxName(), "-o", "json"), List.of());
    }

    /**
     * Deletes the realm of a session, whoever made it: {@link Realms#close} looks at its labels first. OpenShell may only have
     * accepted that when the call ends. An absent realm gives exit 0 or 1, depending on the build.
     */
    public static OpenShellArgv delete(SessionId session) {
        return new OpenShellArgv(Verb.DELETE, Optional.of(session),
                List.of("openshell", "sandbox", "delete", session.sandboxName()), List.of());
    }

    /** Lists the first page of the names of this library's realms, those of the config's owner if it has one. */
    public static OpenShellArgv list(RuntimeConfig config) {
        return list(config, List.of());
    }

    /**
     * Lists a further page of names.
     *
     * @param pageToken from the line {@code Next page token: ...} that the page before had on standard error; opaque, 1 to
     *        4,096 printable ASCII characters
     * @throws RefusedException with {@link RefusedException.Code#ARGV_INVALID}, rule PAGE_TOKEN, for anything else
     */
    public static OpenShellArgv list(RuntimeConfig config, String pageToken) {
        if (!isPageToken(pageToken)) {
            throw refused(Rule.PAGE_TOKEN, "", "a page token is 1 to 4096 printable ASCII characters; this one has "
                    + pageToken.length() + " characters", "pass it on as the page before had it");
        }
        // One argument with its flag, so that no token can be read as a flag.
        return list(config, List.of("--page-token=" + pageToken));
    }

    static boolean isPageToken(String text) {
        return PAGE_TOKEN.matcher(text).matches();
    }

    private static OpenShellArgv list(RuntimeConfig config, List<String> page) {
        String selector = MANAGED_LABEL + "=" + MANAGED_LABEL_VALUE
                + config.owner().map(owner -> "," + OWNER_LABEL + "=" + owner).orElse("");
        List<String> argv = new ArrayList<>(List.of("openshell", "sandbox", "list", "--selector", selector));
        argv.addAll(page);
        argv.add("--names");
        return new OpenShellArgv(Verb.LIST, Optional.empty(), argv, List.of());
    }

    /** Asks the CLI for its version. */
    public static OpenShellArgv version() {
        return new OpenShellArgv(Verb.VERSION, Optional.empty(), List.of("openshell", "--version"), List.of());
    }

    private static void checkCommand(List<String> command) {
        List<Problem> problems = new ArrayList<>();
        if (command.isEmpty()) {
            problems.add(Problem.of(Rule.COMMAND_EMPTY, "/argv", "there is no command", ""));
        } else if (command.get(0).isEmpty()) {
            problems.add(Problem.of(Rule.COMMAND_EMPTY, "/argv/0", "the program is an empty text", ""));
        }
        if (command.size() > ArgvLimits.MAX_EXEC_ARGUMENTS) {
            problems.add(Problem.of(Rule.ARGUMENT_COUNT, "/argv", command.size() + " elements; OpenShell takes "
                    + ArgvLimits.MAX_EXEC_ARGUMENTS, "put the data in a file of the sandbox"));
        }
        long together = SHELL_PREFIX.length() + Math.max(0, command.size() - 1);
        for (int i = 0; i < command.size(); i++) {
            checkArgument(command.get(i), "/argv/" + i, problems);
            together += assembledLength(command.get(i));
        }
        if (together > ArgvLimits.MAX_COMMAND_BYTES) {
            problems.add(Problem.of(Rule.ARGUMENT_SIZE, "/argv", together + " bytes as a shell line; OpenShell takes "
                    + ArgvLimits.MAX_COMMAND_BYTES, "put the data in a file of the sandbox"));
        }
        if (!problems.isEmpty()) {
            throw new RefusedException(RefusedException.Code.ARGV_INVALID, "command", problems);
        }
    }

    private static void checkArgument(String argument, String pointer, List<Problem> problems) {
        if (!Text.fitsAnArgument(argument)) {
            problems.add(Problem.of(Rule.ARGUMENT_CHARACTER, pointer, "has a NUL or a lone surrogate", ""));
        }
        int bytes = Text.utf8Length(argument);
        if (bytes > ArgvLimits.MAX_ARGUMENT_BYTES) {
            problems.add(Problem.of(Rule.ARGUMENT_SIZE, pointer, bytes + " bytes; OpenShell takes "
                    + ArgvLimits.MAX_ARGUMENT_BYTES, "put the data in a file of the sandbox"));
        }
    }

    /** Refuses text that would arrive at the process as other bytes than its UTF-8. */
    void refuseWhatThisJvmLoses() {
        List<Problem> problems = new ArrayList<>();
        int before = argv.size() - command.size();
        for (int i = 1; i < argv.size(); i++) {
            if (!Text.survivesLaunch(argv.get(i))) {
                problems.add(Problem.of(Rule.ARGUMENT_CHARACTER, i < before ? "" : "/argv/" + (i - before),
                        "has a character that this JVM cannot hand over", "start the JVM in a UTF-8 locale"));
            }
        }
        if (!problems.isEmpty()) {
            throw new RefusedException(RefusedException.Code.ARGV_INVALID, "command", problems);
        }
    }

    /** Bytes of an argument in the shell line of the gateway, which writes a quote as {@code '"'"'}. */
    private static long assembledLength(String argument) {
        if (BARE.matcher(argument).matches()) {
            return argument.length();
        }
        return 2 + Text.utf8Length(argument) + 4 * argument.chars().filter(c -> c == '\'').count();
    }

    private static RefusedException refused(Rule rule, String pointer, String message, String hint) {
        return RefusedException.of(RefusedException.Code.ARGV_INVALID, "command", Problem.of(rule, pointer, message, hint));
    }

    /** Returns the elements, {@code openshell} first; unmodifiable. */
    public List<String> asList() {
        return argv;
    }

    /** Returns what the call does. */
    public Verb verb() {
        return verb;
    }

    /** Returns the session whose realm the call is about; empty for list and version. */
    public Optional<SessionId> session() {
        return session;
    }

    /** Returns what stands after {@code --}: the workload of create, the command of exec, else nothing; unmodifiable. */
    public List<String> command() {
        return command;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OpenShellArgv that && argv.equals(that.argv);
    }

    @Override
    public int hashCode() {
        return argv.hashCode();
    }

    /** Returns the verb, the sandbox and the number of elements; no argument. */
    @Override
    public String toString() {
        return "OpenShellArgv[" + verb.word() + session.map(id -> " " + id.sandboxName()).orElse("") + ", elements=" + argv.size()
                + "]";
    }
}
