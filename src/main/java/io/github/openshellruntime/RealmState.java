// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.JsonValue.Kind;
import io.github.openshellruntime.JsonValue.Member;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * What {@code get} tells of a realm at one moment. Immutable and thread-safe; equal when everything in it is, the policy that
 * was shown included.
 */
public final class RealmState {

    /** How the policy in force compares with one that was written. {@code toString()} is {@code name()}. */
    public enum PolicyInForce {
        /** It is the one that was written, but for directories to read that a gateway adds. */
        SAME,
        /** It is another one, such as a global policy. */
        DIFFERENT,
        /** The gateway shows none. */
        NOT_SHOWN
    }

    /** What gateways write: UTC without saying so. */
    private static final Pattern IN_UTC = Pattern.compile("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d");

    private static final Pattern RFC_3339 = Pattern.compile(
            "\\d{4}-\\d\\d-\\d\\d[Tt ]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?([Zz]|[+-]\\d\\d:\\d\\d)");

    private final SandboxPhase phase;
    private final Map<String, String> labels;
    private final Optional<Instant> createdAt;
    private final OptionalInt exitCode;
    private final RealmPolicy policy;

    private RealmState(SandboxPhase phase, Map<String, String> labels, Optional<Instant> createdAt, OptionalInt exitCode,
            RealmPolicy policy) {
        this.phase = phase;
        this.labels = labels;
        this.createdAt = createdAt;
        this.exitCode = exitCode;
        this.policy = policy;
    }

    /**
     * Reads the answer to {@link OpenShellArgv#get}, run capturing. Fields that are not known are ignored. JSON is read by the
     * rules of a config file, but 64 levels deep and without its other limits.
     *
     * <p>The phase is {@link SandboxPhase#ABSENT} where {@code get} ended with 1, printed nothing on standard output, and the
     * message that it reported on standard error is {@code sandbox not found} or {@code sandbox '<name>' not found}. Anything
     * else that is not found, such as the workspace, is a call that failed.
     *
     * @throws OpenShellRunnerError with {@code FAILED} and {@code UNREADABLE_ANSWER} for an answer that was not captured; and
     *         for one with exit 0 that was truncated, does not end in a line end, is not UTF-8, is not one JSON object, has no
     *         {@code phase}, has {@code phase}, {@code labels}, {@code policy} or {@code policy_source} twice, a {@code phase}
     *         that is no string, or {@code labels} that are no object of strings with a name each. With {@code CALL_FAILED} for
     *         any other exit code than 0; the error has the code and the outputs
     */
    public static RealmState of(OpenShellRunOutcome ofGet) {
        CliAnswer answer = CliAnswer.of(ofGet);
        if (answer.saysAbsent()) {
            return new RealmState(SandboxPhase.ABSENT, Map.of(), Optional.empty(), OptionalInt.empty(),
                    new RealmPolicy(Optional.empty(), Optional.empty()));
        }
        JsonValue realm = answer.object();
        JsonValue phase = field(answer, realm, "phase").orElseThrow(() -> answer.unreadable("it has no phase"));
        if (phase.kind() != Kind.STRING) {
            throw answer.unreadable("its phase is of another type than a string");
        }
        return new RealmState(SandboxPhase.named(phase.text()), labels(answer, field(answer, realm, "labels")),
                createdAt(all(realm, "created_at")), exitCode(all(realm, "exit_code")),
                RealmPolicy.read(field(answer, realm, "policy"), field(answer, realm, "policy_source")));
    }

    private static List<JsonValue> all(JsonValue object, String key) {
        return object.members().stream().filter(member -> member.key().equals(key)).map(Member::value).toList();
    }

    private static Optional<JsonValue> field(CliAnswer answer, JsonValue object, String key) {
        List<JsonValue> values = all(object, key);
        if (values.size() > 1) {
            throw answer.unreadable("it has the field " + key + " twice");
        }
        return values.stream().findFirst();
    }

    private static Map<String, String> labels(CliAnswer answer, Optional<JsonValue> field) {
        if (field.isEmpty()) {
            return Map.of();
        }
        Map<String, String> labels = new LinkedHashMap<>();
        boolean strings = field.get().kind() == Kind.OBJECT;
        for (Member label : field.get().members()) {
            strings &= label.value().kind() == Kind.STRING;
            if (labels.put(label.key(), label.value().text()) != null) {
                throw answer.unreadable("its labels have a name twice");
            }
        }
        if (!strings) {
            throw answer.unreadable("its labels are of another type than an object of strings");
        }
        return Collections.unmodifiableMap(labels);
    }

    private static Optional<Instant> createdAt(List<JsonValue> values) {
        String time = values.size() == 1 ? values.get(0).text() : "";
        String zoned = IN_UTC.matcher(time).matches() ? time + "Z" : time;
        if (!RFC_3339.matcher(zoned).matches()) {
            return Optional.empty();
        }
        String toNanoseconds = zoned.replaceFirst("(\\.\\d{9})\\d+", "$1");
        try {
            return Optional.of(OffsetDateTime.parse(toNanoseconds.replace(' ', 'T')).toInstant());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static OptionalInt exitCode(List<JsonValue> values) {
        if (values.size() != 1 || values.get(0).kind() != Kind.NUMBER) {
            return OptionalInt.empty();
        }
        try {
            return OptionalInt.of(Integer.parseInt(values.get(0).text()));
        } catch (NumberFormatException e) {
            return OptionalInt.empty();
        }
    }

    /** Returns the phase. */
    public SandboxPhase phase() {
        return phase;
    }

    /** Returns the labels by name, in the order of the answer; unmodifiable. */
    public Map<String, String> labels() {
        return labels;
    }

    /** Returns when the sandbox was created, as the gateway says; empty if the form is unknown. */
    public Optional<Instant> createdAt() {
        return createdAt;
    }

    /** Returns the exit code of the main process, where the gateway tells one as an integer. */
    public OptionalInt exitCode() {
        return exitCode;
    }

    /**
     * Compares the policy in force with the one that was written for this realm. A gateway can hold another: a global policy
     * replaces that of every sandbox, and the realm is {@code READY} all the same.
     *
     * <p>{@code SAME} where the gateway names no source of the policy or {@code sandbox}, and shows a policy with no section
     * and no rule that the document has not, and with the same version, Landlock section, user, writable directories, hosts,
     * ports and binary. A section that is left out counts as empty, and a port may be written as {@code port}. Directories to
     * read may be more: gateways add {@code /var/log} and the like. {@code NOT_SHOWN} where there is no policy and no other
     * source; a policy that is {@code null} counts as none. {@code DIFFERENT} otherwise.
     *
     * <p>{@code SAME} does not prove that no provider is attached: one shows as a rule, and so as {@code DIFFERENT}, only on a
     * gateway with the setting {@code providers_v2_enabled}.
     */
    public PolicyInForce policy(PolicyDocument written) {
        return policy.compare(written);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RealmState that && phase == that.phase && labels.equals(that.labels)
                && createdAt.equals(that.createdAt) && exitCode.equals(that.exitCode) && policy.equals(that.policy);
    }

    @Override
    public int hashCode() {
        return Objects.hash(phase, labels, createdAt, exitCode, policy);
    }

    /** Returns the phase, how many labels there are, and whether a policy is shown. */
    @Override
    public String toString() {
        return "RealmState[phase=" + phase + ", labels=" + labels.size() + ", policyShown=" + policy.policy().isPresent() + "]";
    }
}
