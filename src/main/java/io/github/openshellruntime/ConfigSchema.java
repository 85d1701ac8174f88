// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.ConfigReport.Clause;
import io.github.openshellruntime.JsonValue.Kind;
import io.github.openshellruntime.JsonValue.Member;
import io.github.openshellruntime.Problem.Rule;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;

/** Checks a located tree against the keys of the config, collecting everything that is wrong. One instance, one tree. */
final class ConfigSchema {

    static final String WORKLOAD_ARGV = "workloadArgv";
    static final String EGRESS_ALLOW = "egressAllow";
    static final String IMAGE = "image";
    static final String POLICY_DIR = "policyDir";
    static final String OPENSHELL_PATH = "openshellPath";
    static final String GATEWAY = "gateway";
    static final String WORKSPACE = "workspace";
    static final String OWNER = "owner";
    static final String CREATE_TIMEOUT = "createTimeoutSeconds";
    static final String EXEC_TIMEOUT = "execTimeoutSeconds";

    /** The keys in the order of the documentation. */
    static final List<String> KEYS = List.of(WORKLOAD_ARGV, EGRESS_ALLOW, IMAGE, POLICY_DIR, OPENSHELL_PATH, GATEWAY,
            WORKSPACE, OWNER, CREATE_TIMEOUT, EXEC_TIMEOUT);

    private static final Set<String> KNOWN = Set.copyOf(KEYS);
    private static final int MAX_PATH_BYTES = 4_095;
    private static final int MAX_SECONDS = 86_400;
    private static final Pattern INTEGER = Pattern.compile("-?[0-9]+");

    private static final List<Clause<JsonValue>> STRINGS = List.of(Clause.STRING);
    private static final List<Clause<JsonValue>> ARRAYS = List.of(Clause.type(v -> v.kind() != Kind.ARRAY, "an array"));
    private static final List<Clause<JsonValue>> ELEMENTS = List.of(
            Clause.value(v -> v.items().isEmpty(), "must have at least one element, the workload's absolute path"),
            atMost(ArgvLimits.MAX_CREATE_ARGUMENTS, "elements", v -> v.items().size(), ""));
    private static final List<Clause<Integer>> BYTES =
            List.of(atMost(ArgvLimits.MAX_COMMAND_BYTES, "bytes of UTF-8 together", bytes -> bytes, ""));
    private static final List<Clause<JsonValue>> WORKLOADS = List.of(Clause.STRING,
            Clause.of(Rule.VALUE, v -> !PolicyPath.isPlain(v.text()), v -> PolicyPath.refusal(v.text()), ""));
    private static final List<Clause<JsonValue>> ARGUMENTS = List.of(Clause.STRING,
            Clause.value(v -> !Text.fitsAnArgument(v.text()), "has a NUL or a lone surrogate, which no argument can hold"),
            atMost(ArgvLimits.MAX_ARGUMENT_BYTES, "bytes of UTF-8", v -> Text.utf8Length(v.text()),
                    "put the data in a file of the image"));

    private static final List<Clause<JsonValue>> PATHS = List.of(Clause.STRING,
            Clause.value(v -> !isPath(v.text()), "must be an absolute path without //, . or .. segments and NUL, of at most "
                    + MAX_PATH_BYTES + " bytes, that this system can name"));

    /** Gateways are named after hosts. */
    private static final List<Clause<JsonValue>> GATEWAYS = matching("[A-Za-z0-9][A-Za-z0-9._-]{0,252}",
            "must be 1 to 253 letters, digits, dots, underscores and hyphens, the first a letter or digit");
    private static final List<Clause<JsonValue>> WORKSPACES = matching("[A-Za-z0-9][A-Za-z0-9._-]{0,62}",
            "must be 1 to 63 letters, digits, dots, underscores and hyphens, the first a letter or digit");
    private static final List<Clause<JsonValue>> OWNERS = matching("[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?",
            "must be 1 to 63 lower-case letters, digits, dots, underscores and hyphens, a letter or digit at both ends");
    private static final List<Clause<JsonValue>> SECONDS = List.of(
            Clause.type(v -> v.kind() != Kind.NUMBER || !INTEGER.matcher(v.text()).matches(),
                    "an integer without fraction and exponent"),
            Clause.value(v -> seconds(v) < 1 || seconds(v) > MAX_SECONDS,
                    "must be a whole number of seconds from 1 to " + MAX_SECONDS));

    private final JsonSource source;
    private final EgressGrammar egress;
    private final ConfigReport report;
    /** The first member of each name. */
    private final Map<String, Member> members = new HashMap<>();

    private ConfigSchema(JsonSource source, EgressGrammar egress) {
        this.source = source;
        this.egress = egress;
        this.report = new ConfigReport(source);
    }

    /** @throws RefusedException with everything that is wrong */
    static RuntimeConfig check(JsonValue root, JsonSource source, String sourceName, EgressGrammar egress) {
        ConfigSchema schema = new ConfigSchema(source, egress);
        schema.keys(root);
        RuntimeConfig config = schema.config();
        if (!schema.report.isEmpty()) {
            throw schema.report.refusal(sourceName);
        }
        return config;
    }

    static boolean isGateway(String text) {
        return Clause.firstBroken(GATEWAYS, JsonValue.scalar(Kind.STRING, text, JsonSource.NO_OFFSET)) == null;
    }

    static boolean isWorkspace(String text) {
        return Clause.firstBroken(WORKSPACES, JsonValue.scalar(Kind.STRING, text, JsonSource.NO_OFFSET)) == null;
    }

    private static List<Clause<JsonValue>> matching(String regex, String message) {
        Pattern pattern = Pattern.compile(regex);
        return List.of(Clause.STRING, Clause.value(value -> !pattern.matcher(value.text()).matches(), message));
    }

    private static boolean isPath(String text) {
        try {
            return text.startsWith("/") && Text.fitsAnArgument(text) && !text.contains("//") && !Text.hasDotSegment(text)
                    && Text.utf8Length(text) <= MAX_PATH_BYTES && Path.of(text).isAbsolute();
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private static <T> Clause<T> atMost(int most, String what, ToIntFunction<T> measure, String hint) {
        return Clause.of(Rule.VALUE, v -> measure.applyAsInt(v) > most,
                v -> "has " + measure.applyAsInt(v) + " " + what + "; at most " + most + " are taken", hint);
    }

    /** What is too long for an int is too much. */
    private static int seconds(JsonValue value) {
        return value.text().length() > 9 ? Integer.MAX_VALUE : Integer.parseInt(value.text());
    }

    private void keys(JsonValue root) {
        for (Member member : root.members()) {
            String key = member.key();
            Supplier<String> pointer = () -> pointer("", key);
            boolean known = KNOWN.contains(key) || denied(member, pointer);
            deniedBelow(member.value(), pointer);
            Member earlier = members.putIfAbsent(key, member);
            if (earlier != null) {
                report.add(Rule.DUPLICATE_KEY, member.offset(), pointer,
                        () -> "stands here again; first at " + source.place(earlier.offset()), () -> "keep one of them");
            } else if (!known) {
                report.add(Rule.UNKNOWN_KEY, member.offset(), pointer, () -> "is not a key of this config; the keys are "
                        + String.join(", ", KEYS), () -> ConfigKeySuggestion.hint(key));
            }
        }
        if (!members.containsKey(WORKLOAD_ARGV)) {
            report.add(Rule.REQUIRED, JsonSource.NO_OFFSET, () -> "/" + WORKLOAD_ARGV, () -> WORKLOAD_ARGV + " is missing",
                    () -> "it is the command of the sandbox, such as [\"/usr/bin/agent\"]");
        }
    }

    private boolean denied(Member member, Supplier<String> pointer) {
        boolean denied = ConfigDeniedKeys.isDenied(member.key());
        if (denied) {
            report.add(Rule.DENIED_KEY, member.offset(), pointer, () -> ConfigDeniedKeys.reason(member.key()),
                    () -> ConfigDeniedKeys.hint(member.key()));
        }
        return denied;
    }

    private void deniedBelow(JsonValue value, Supplier<String> pointer) {
        for (Member member : value.members()) {
            Supplier<String> below = () -> pointer(pointer.get(), member.key());
            denied(member, below);
            deniedBelow(member.value(), below);
        }
        for (int i = 0; i < value.items().size(); i++) {
            int index = i;
            deniedBelow(value.items().get(i), () -> pointer.get() + "/" + index);
        }
    }

    private static String pointer(String parent, String key) {
        return parent + "/" + key.replace("~", "~0").replace("/", "~1");
    }

    private RuntimeConfig config() {
        return new RuntimeConfig(new RuntimeConfig.Values(
                value(WORKLOAD_ARGV, ARRAYS).map(this::argv).orElse(List.of()),
                value(EGRESS_ALLOW, ARRAYS).map(array -> egress.list(array, "/" + EGRESS_ALLOW, report))
                        .orElseGet(() -> new EgressAllowlist(List.of())),
                value(IMAGE, STRINGS).filter(image -> report.keeps(ConfigImage.GRAMMAR, new ConfigImage(image.text()),
                        image.offset(), () -> "/" + IMAGE)).map(JsonValue::text),
                value(POLICY_DIR, PATHS).map(JsonValue::text).map(Path::of),
                value(OPENSHELL_PATH, PATHS).map(JsonValue::text).map(Path::of),
                value(GATEWAY, GATEWAYS).map(JsonValue::text),
                value(WORKSPACE, WORKSPACES).map(JsonValue::text),
                value(OWNER, OWNERS).map(JsonValue::text),
                seconds(CREATE_TIMEOUT, RuntimeConfig.DEFAULT_CREATE_TIMEOUT),
                seconds(EXEC_TIMEOUT, RuntimeConfig.DEFAULT_EXEC_TIMEOUT)));
    }

    private Duration seconds(String key, Duration missing) {
        return value(key, SECONDS).map(value -> Duration.ofSeconds(seconds(value))).orElse(missing);
    }

    /** The value of a key, if it is there and keeps its grammar. */
    private Optional<JsonValue> value(String key, List<Clause<JsonValue>> grammar) {
        return Optional.ofNullable(members.get(key)).map(Member::value)
                .filter(value -> report.keeps(grammar, value, value.offset(), () -> "/" + key));
    }

    private List<String> argv(JsonValue array) {
        List<String> argv = new ArrayList<>();
        int bytes = 0;
        for (int i = 0; i < array.items().size(); i++) {
            int index = i;
            JsonValue item = array.items().get(i);
            report.keeps(i == 0 ? WORKLOADS : ARGUMENTS, item, item.offset(), () -> "/" + WORKLOAD_ARGV + "/" + index);
            argv.add(item.text());
            bytes += item.kind() == Kind.STRING ? Text.utf8Length(item.text()) : 0;
        }
        report.keeps(ELEMENTS, array, array.offset(), () -> "/" + WORKLOAD_ARGV);
        report.keeps(BYTES, bytes, array.offset(), () -> "/" + WORKLOAD_ARGV);
        return argv;
    }
}
