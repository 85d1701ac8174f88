// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.JsonValue.Kind;
import io.github.openshellruntime.JsonValue.Member;
import io.github.openshellruntime.Problem.Rule;
import java.math.BigInteger;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
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

    private static final int MAX_PATH_BYTES = 4_095;
    private static final int MAX_IMAGE_BYTES = 1_024;
    private static final int MAX_SECONDS = 86_400;

    private static final Pattern SELECTOR = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");
    private static final Pattern OWNER_LABEL = Pattern.compile("[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?");
    private static final Pattern INTEGER = Pattern.compile("-?[0-9]+");

    private final SourceText source;
    private final EgressCheck egress;
    private final List<Problem> report = new ArrayList<>();
    private final Map<String, JsonValue> values = new HashMap<>();

    private ConfigSchema(SourceText source, EgressCheck egress) {
        this.source = source;
        this.egress = egress;
    }

    /** @throws RefusedException with everything that is wrong */
    static RuntimeConfig check(JsonValue root, SourceText source, String sourceName, EgressCheck egress) {
        ConfigSchema schema = new ConfigSchema(source, egress);
        schema.keys(root);
        RuntimeConfig config = schema.config();
        if (!schema.report.isEmpty()) {
            throw new RefusedException(RefusedException.Code.SCHEMA_INVALID, sourceName, schema.report);
        }
        return config;
    }

    static boolean isSelector(String text) {
        return SELECTOR.matcher(text).matches();
    }

    private void keys(JsonValue root) {
        Map<String, Integer> first = new HashMap<>();
        for (Member member : root.members()) {
            boolean known = KEYS.contains(member.key());
            boolean denied = !known && DeniedKeys.isDenied(member.key());
            if (denied) {
                denied(member, pointer("", member.key()));
            }
            deniedBelow(member.value(), () -> pointer("", member.key()));
            Integer earlier = first.putIfAbsent(member.key(), member.offset());
            if (earlier != null) {
                report.add(source.problem(Rule.DUPLICATE_KEY, pointer("", member.key()), member.offset(),
                        "stands here again; first at " + source.place(earlier), "keep one of them"));
            } else if (known) {
                values.put(member.key(), member.value());
            } else if (!denied) {
                report.add(source.problem(Rule.UNKNOWN_KEY, pointer("", member.key()), member.offset(),
                        "is no key of this config; the keys are " + String.join(", ", KEYS),
                        KeySuggestion.hint(member.key())));
            }
        }
        if (!first.containsKey(WORKLOAD_ARGV)) {
            report.add(Problem.of(Rule.REQUIRED, "/" + WORKLOAD_ARGV, "workloadArgv is missing",
                    "it is the command of the sandbox, such as [\"/usr/bin/agent\"]"));
        }
    }

    /** @param pointer asked for where something is found alone: most configs have nothing to point to */
    private void deniedBelow(JsonValue value, Supplier<String> pointer) {
        for (Member member : value.members()) {
            Supplier<String> below = () -> pointer(pointer.get(), member.key());
            if (DeniedKeys.isDenied(member.key())) {
                denied(member, below.get());
            }
            deniedBelow(member.value(), below);
        }
        for (int i = 0; i < value.items().size(); i++) {
            JsonValue item = value.items().get(i);
            int index = i;
            if (!item.members().isEmpty() || !item.items().isEmpty()) {
                deniedBelow(item, () -> pointer.get() + "/" + index);
            }
        }
    }

    private void denied(Member member, String pointer) {
        report.add(source.problem(Rule.DENIED_KEY, pointer, member.offset(), DeniedKeys.reason(member.key()),
                DeniedKeys.hint(member.key())));
    }

    private static String pointer(String parent, String key) {
        return parent + "/" + key.replace("~", "~0").replace("/", "~1");
    }

    private RuntimeConfig config() {
        RuntimeConfig.Values config = new RuntimeConfig.Values();
        config.workloadArgv = Optional.ofNullable(values.get(WORKLOAD_ARGV)).map(this::argv).orElse(List.of());
        config.egressAllow = Optional.ofNullable(values.get(EGRESS_ALLOW)).map(this::egress)
                .orElseGet(() -> new EgressAllowlist(List.of()));
        config.image = text(IMAGE, ImageReference::isAccepted, ImageReference.RULE);
        config.policyDir = path(POLICY_DIR);
        config.openshellPath = path(OPENSHELL_PATH);
        String selectorRule = "must be 1 to 63 letters, digits, dots, underscores and hyphens, the first a letter or digit";
        config.gateway = text(GATEWAY, ConfigSchema::isSelector, selectorRule);
        config.workspace = text(WORKSPACE, ConfigSchema::isSelector, selectorRule);
        config.owner = text(OWNER, owner -> OWNER_LABEL.matcher(owner).matches(), "must be 1 to 63 lower-case letters,"
                + " digits, dots, underscores and hyphens, with a letter or digit at both ends");
        config.createTimeout = seconds(CREATE_TIMEOUT, RuntimeConfig.DEFAULT_CREATE_TIMEOUT);
        config.execTimeout = seconds(EXEC_TIMEOUT, RuntimeConfig.DEFAULT_EXEC_TIMEOUT);
        return new RuntimeConfig(config);
    }

    private List<String> argv(JsonValue array) {
        String pointer = "/" + WORKLOAD_ARGV;
        if (!is(Kind.ARRAY, array, pointer)) {
            return List.of();
        }
        List<String> argv = new ArrayList<>();
        long bytes = 0;
        for (int i = 0; i < array.items().size(); i++) {
            JsonValue item = array.items().get(i);
            String at = pointer + "/" + i;
            if (is(Kind.STRING, item, at)) {
                element(i, item, at);
                bytes += Text.utf8Length(item.text());
                argv.add(item.text());
            }
        }
        if (array.items().isEmpty()) {
            value(array, pointer, "must have at least one element, the workload's absolute path", "");
        }
        if (array.items().size() > OpenShellLimits.MAX_CREATE_ARGUMENTS) {
            value(array, pointer, "has " + array.items().size() + " elements; at most "
                    + OpenShellLimits.MAX_CREATE_ARGUMENTS + " are taken", "");
        }
        if (bytes > OpenShellLimits.MAX_COMMAND_BYTES) {
            value(array, pointer, "has " + bytes + " bytes of UTF-8 together; at most "
                    + OpenShellLimits.MAX_COMMAND_BYTES + " are taken", "");
        }
        return argv;
    }

    private void element(int index, JsonValue item, String pointer) {
        if (index == 0) {
            if (!WorkloadPath.isPlain(item.text())) {
                value(item, pointer, WorkloadPath.refusal(item.text()), "");
            }
        } else if (!Text.fitsAnArgument(item.text())) {
            value(item, pointer, "has a NUL or a lone surrogate, which no argument can hold", "");
        } else if (Text.utf8Length(item.text()) > OpenShellLimits.MAX_ARGUMENT_BYTES) {
            value(item, pointer, "has " + Text.utf8Length(item.text()) + " bytes of UTF-8; at most "
                    + OpenShellLimits.MAX_ARGUMENT_BYTES + " are taken", "put the data in a file of the image");
        }
    }

    private EgressAllowlist egress(JsonValue array) {
        if (!is(Kind.ARRAY, array, "/" + EGRESS_ALLOW)) {
            return new EgressAllowlist(List.of());
        }
        return egress.list(array, "/" + EGRESS_ALLOW, source, report);
    }

    private Optional<String> text(String key, Predicate<String> accepted, String rule) {
        return string(key, value -> accepted.test(value) ? Optional.of(value) : Optional.empty(), rule);
    }

    private Optional<Path> path(String key) {
        return string(key, ConfigSchema::toPath, "must be an absolute path without //, . or .. segments and NUL, of at"
                + " most " + MAX_PATH_BYTES + " bytes, that this system can name");
    }

    private <T> Optional<T> string(String key, Function<String, Optional<T>> convert, String rule) {
        JsonValue value = values.get(key);
        if (value == null || !is(Kind.STRING, value, "/" + key)) {
            return Optional.empty();
        }
        Optional<T> converted = convert.apply(value.text());
        if (converted.isEmpty()) {
            value(value, "/" + key, rule, "");
        }
        return converted;
    }

    private static Optional<Path> toPath(String text) {
        boolean plain = text.startsWith("/") && Text.fitsAnArgument(text) && !text.contains("//")
                && !Text.hasDotSegment(text) && Text.utf8Length(text) <= MAX_PATH_BYTES;
        try {
            return plain ? Optional.of(Path.of(text)) : Optional.empty();
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    private Duration seconds(String key, Duration missing) {
        JsonValue value = values.get(key);
        if (value == null) {
            return missing;
        }
        if (value.kind() != Kind.NUMBER || !INTEGER.matcher(value.text()).matches()) {
            type(value, "/" + key, "an integer without fraction and exponent");
            return missing;
        }
        BigInteger seconds = new BigInteger(value.text());
        if (seconds.signum() <= 0 || seconds.compareTo(BigInteger.valueOf(MAX_SECONDS)) > 0) {
            value(value, "/" + key, "must be a whole number of seconds from 1 to " + MAX_SECONDS, "");
            return missing;
        }
        return Duration.ofSeconds(seconds.intValueExact());
    }

    private boolean is(Kind kind, JsonValue value, String pointer) {
        if (value.kind() != kind) {
            type(value, pointer, kind.words());
        }
        return value.kind() == kind;
    }

    private void type(JsonValue value, String pointer, String wanted) {
        report.add(source.problem(Rule.TYPE, pointer, value.offset(),
                "must be " + wanted + ", is " + value.kind().words(), ""));
    }

    private void value(JsonValue value, String pointer, String message, String hint) {
        report.add(source.problem(Rule.VALUE, pointer, value.offset(), message, hint));
    }
}
