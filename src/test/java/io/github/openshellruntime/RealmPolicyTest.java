// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static io.github.openshellruntime.Answers.outcome;
import static io.github.openshellruntime.RealmState.PolicyInForce.DIFFERENT;
import static io.github.openshellruntime.RealmState.PolicyInForce.NOT_SHOWN;
import static io.github.openshellruntime.RealmState.PolicyInForce.SAME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.openshellruntime.RealmState.PolicyInForce;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The policy in force, compared with the one that was written. */
@DisplayName("The policy in force")
class RealmPolicyTest {

    private static final String RULE = "/policy/network_policies/workload_egress";

    /** How the policy that an answer shows compares with {@link Answers#document()}. */
    private static PolicyInForce compare(String answer) {
        return compare(answer, Answers.document());
    }

    private static PolicyInForce compare(String answer, PolicyDocument written) {
        return RealmState.of(outcome(0, answer + "\n", "")).policy(written);
    }

    private static ObjectNode shown() {
        return (ObjectNode) Cases.parse(Answers.text("get-ready.json"));
    }

    /** The answer with another value in a place; {@code -} removes what is there, and a last name {@code +} appends. */
    private static String changed(String place, String value) {
        ObjectNode answer = shown();
        int slash = place.lastIndexOf('/');
        JsonNode parent = answer.at(place.substring(0, slash));
        String name = place.substring(slash + 1);
        if (parent instanceof ArrayNode array) {
            if (name.equals("+")) {
                array.add(Cases.parse(value));
            } else if (value.equals("-")) {
                array.remove(Integer.parseInt(name));
            } else {
                array.set(Integer.parseInt(name), Cases.parse(value));
            }
        } else if (value.equals("-")) {
            ((ObjectNode) parent).remove(name);
        } else {
            ((ObjectNode) parent).set(name, Cases.parse(value));
        }
        return answer.toString();
    }

    @Test
    @DisplayName("the real texts: our own, deny-all, a global one")
    void realTexts_areCompared() {
        assertThat(compare(Answers.text("get-ready.json"))).isEqualTo(SAME).hasToString("SAME");
        assertThat(compare(Answers.text("get-deny-all.json"), Answers.document())).isEqualTo(DIFFERENT);
        assertThat(compare(Answers.text("get-deny-all.json"), Answers.document(new String[0]))).isEqualTo(SAME);
        assertThat(compare(Answers.text("get-ready.json"), Answers.document(new String[0]))).isEqualTo(DIFFERENT);
        assertThat(compare(Answers.text("get-global.json"))).isEqualTo(DIFFERENT);
        assertThat(compare(Answers.text("get-global.json").replace("\"global\"", "\"sandbox\""))).isEqualTo(DIFFERENT);
        assertThat(compare(Answers.text("get-ready.json").replace("\"sandbox\"", "\"global\""))).isEqualTo(DIFFERENT);
    }

    @ParameterizedTest(name = "{0} {1} is {2}")
    @CsvFileSource(resources = "/io/github/openshellruntime/answers/policy-changes.txt", delimiter = '|',
            quoteCharacter = '`')
    void change_isSeen(String place, String value, PolicyInForce expected) {
        assertThat(compare(changed(place.replace("RULE", RULE), value))).isEqualTo(expected);
    }

    @ParameterizedTest(name = "source {0} without a policy is {1}")
    @CsvSource({"-,NOT_SHOWN", "\"sandbox\",NOT_SHOWN", "\"global\",DIFFERENT", "null,DIFFERENT", "\"\",DIFFERENT"})
    void noPolicy_isNotShown(String source, PolicyInForce expected) {
        for (String policy : List.of("", "\"policy\":null,")) {
            String from = source.equals("-") ? "" : "\"policy_source\":" + source + ",";
            assertThat(compare("{" + policy + from + "\"phase\":\"Ready\"}")).isEqualTo(expected);
        }
    }

    @Test
    @DisplayName("a gateway leaves out what is empty: the rules of deny-all, the process section of the image's user")
    void leftOut_isEmpty() {
        PolicyDocument denyAll = Answers.document(new String[0]);
        ObjectNode answer = (ObjectNode) Cases.parse(Answers.text("get-deny-all.json"));
        ObjectNode policy = (ObjectNode) answer.get("policy");
        for (String rules : List.of("{}", "null", "[]", "\"\"")) {
            policy.set("network_policies", Cases.parse(rules));
            assertThat(compare(answer.toString(), denyAll)).as(rules).isEqualTo(rules.equals("{}") ? SAME : DIFFERENT);
        }
        policy.remove("network_policies");
        PolicyDocument imageUser = PolicyDocuments.render(denyAll.egressAllow(), "/usr/bin/agent",
                SandboxProfile.standard().withUser(WorkloadUser.imageUser()));
        assertThat(compare(answer.toString(), denyAll)).isEqualTo(SAME);
        assertThat(compare(answer.toString(), imageUser)).isEqualTo(DIFFERENT);
        policy.remove("process");
        assertThat(compare(answer.toString(), imageUser)).isEqualTo(SAME);
        assertThat(compare(answer.toString(), denyAll)).isEqualTo(DIFFERENT);
        policy.set("process", Cases.parse("{}"));
        assertThat(compare(answer.toString(), imageUser)).isEqualTo(SAME);
    }

    /** Each place in the policy: its JSON pointer, and what is there. */
    private static Stream<Arguments> places() {
        List<Arguments> places = new ArrayList<>();
        collect("/policy", shown().get("policy"), places);
        return places.stream();
    }

    private static void collect(String place, JsonNode value, List<Arguments> places) {
        places.add(arguments(place, value));
        value.properties().forEach(member -> collect(place + "/" + member.getKey(), member.getValue(), places));
        for (int i = 0; value.isArray() && i < value.size(); i++) {
            collect(place + "/" + i, value.get(i), places);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("places")
    @DisplayName("whatever is left out, of another type or added, anywhere, is seen; but for what a gateway lets be read")
    void anyChange_isSeen(String place, JsonNode value) {
        boolean added = value.asText().equals("/var/log");
        boolean all = place.equals("/policy");
        assertThat(compare(changed(place, "-"))).isEqualTo(added ? SAME : all ? NOT_SHOWN : DIFFERENT);
        for (String other : List.of("null", "false", "7", "\"x\"", "[]", "{}", "[\"x\"]", "{\"x\":\"y\"}")) {
            assertThat(compare(changed(place, other))).as(other)
                    .isEqualTo(added && other.equals("\"x\"") ? SAME : all && other.equals("null") ? NOT_SHOWN : DIFFERENT);
            if (value.isObject()) {
                assertThat(compare(changed(place + "/x", other))).as(other).isEqualTo(DIFFERENT);
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("places")
    @DisplayName("a member that is given twice, anywhere in the policy, is DIFFERENT")
    void doubledMember_isSeen(String place, JsonNode value) {
        int slash = place.lastIndexOf('/');
        String name = place.substring(slash + 1);
        if (shown().at(place.substring(0, slash)).isObject() && slash > 0) {
            // The mark is a name that the answer has not, so it can be renamed in the text.
            String marked = changed(place.substring(0, slash) + "/@", value.toString());
            assertThat(compare(marked.replace("\"@\"", "\"" + name + "\""))).isEqualTo(DIFFERENT);
        }
    }

    /** A policy as a gateway shows it: a lone port as {@code port}, what is empty left out, a directory more. */
    private static String asShown(PolicyDocument document, Random random) {
        ObjectNode policy = (ObjectNode) Cases.parse(document.json());
        JsonNode rule = policy.at("/network_policies/workload_egress");
        rule.path("endpoints").forEach(endpoint -> {
            if (endpoint.get("ports").size() == 1 && random.nextBoolean()) {
                ((ObjectNode) endpoint).set("port", endpoint.get("ports").get(0));
                ((ObjectNode) endpoint).remove("ports");
            }
        });
        if (rule.isMissingNode()) {
            policy.remove("network_policies");
        } else {
            ((ArrayNode) policy.at("/filesystem_policy/read_only")).add("/var/log");
        }
        return "{\"policy\":" + policy + ",\"policy_source\":\"sandbox\",\"phase\":\"Ready\"}";
    }

    @Test
    @DisplayName("of any two documents, each is SAME as its own and DIFFERENT from the other")
    void anyDocuments_areToldApart() {
        Random random = new Random(9);
        Map<PolicyDocument, String> shown = new LinkedHashMap<>();
        for (int i = 0; i < 40; i++) {
            TreeSet<String> entries = new TreeSet<>();
            for (int n = i == 0 ? 128 : random.nextInt(4); n > 0; n--) {
                entries.add((random.nextInt(4) == 0 ? "*." : "") + "h" + random.nextInt(i == 0 ? 500 : 3) + ".example.com:"
                        + (443 + random.nextInt(2)));
            }
            PolicyDocument document = Answers.document(entries.toArray(new String[0]));
            shown.put(document, asShown(document, random));
        }
        assertThat(shown).hasSizeGreaterThan(20);
        shown.forEach((document, answer) -> shown.keySet().forEach(other -> assertThat(compare(answer, other))
                .isEqualTo(other.equals(document) ? SAME : DIFFERENT)));
    }
}
