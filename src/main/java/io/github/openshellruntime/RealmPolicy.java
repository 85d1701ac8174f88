// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.JsonValue.Kind;
import io.github.openshellruntime.JsonValue.Member;
import io.github.openshellruntime.RealmState.PolicyInForce;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The policy that {@code get} shows, and how it compares with one that this library wrote. JSON is compared as maps, lists and
 * strings; any other scalar is its kind and its text, as it was written.
 *
 * @param source where the gateway says that it comes from
 */
record RealmPolicy(Optional<Object> policy, Optional<Object> source) {

    private static final String FILES = "filesystem_policy";
    private static final String READ_ONLY = "read_only";
    private static final String READ_WRITE = "read_write";
    private static final String NETWORK = "network_policies";
    private static final String ENDPOINTS = "endpoints";

    /** Thrown for a part of a policy that no document of this library has. */
    private static final class Foreign extends Exception {

        private static final long serialVersionUID = 1L;

        Foreign() {
            super("a policy of another form", null, false, false);
        }
    }

    static RealmPolicy read(Optional<JsonValue> policy, Optional<JsonValue> source) {
        // The CLI writes null where the gateway has told it none.
        return new RealmPolicy(policy.filter(value -> value.kind() != Kind.NULL).map(RealmPolicy::plain),
                source.map(RealmPolicy::plain));
    }

    PolicyInForce compare(PolicyDocument written) {
        JsonValue document = CliAnswer.json(written);
        if (source.isPresent() && !source.get().equals("sandbox")) {
            return PolicyInForce.DIFFERENT;
        }
        if (policy.isEmpty()) {
            return PolicyInForce.NOT_SHOWN;
        }
        try {
            return isSame(policy.get(), plain(document)) ? PolicyInForce.SAME : PolicyInForce.DIFFERENT;
        } catch (Foreign e) {
            return PolicyInForce.DIFFERENT;
        }
    }

    private static boolean isSame(Object shown, Object ours) throws Foreign {
        return comparable(shown).equals(comparable(ours)) && readable(shown).containsAll(readable(ours));
    }

    /** What may be read: more than we wrote, as gateways add {@code /var/log} and the like. */
    private static Set<Object> readable(Object policy) throws Foreign {
        return paths(object(object(policy).get(FILES)).get(READ_ONLY));
    }

    /** All but what may be read, in the one form that stands for each way to write it. */
    private static Map<Object, Object> comparable(Object policy) throws Foreign {
        Map<Object, Object> sections = object(policy);
        Map<Object, Object> files = object(sections.get(FILES));
        files.remove(READ_ONLY);
        files.put(READ_WRITE, paths(files.get(READ_WRITE)));
        sections.put(FILES, files);
        // A gateway leaves out what is empty.
        sections.putIfAbsent("process", Map.of());
        sections.put(NETWORK, rules(sections.getOrDefault(NETWORK, Map.of())));
        return sections;
    }

    private static Map<Object, Object> rules(Object network) throws Foreign {
        Map<Object, Object> rules = object(network);
        for (Map.Entry<Object, Object> entry : rules.entrySet()) {
            Map<Object, Object> rule = object(entry.getValue());
            rule.put(ENDPOINTS, targets(rule.get(ENDPOINTS)));
            entry.setValue(rule);
        }
        return rules;
    }

    /** Endpoints as pairs of a host and a port, in one order. */
    private static List<Object> targets(Object endpoints) throws Foreign {
        List<Object> targets = new ArrayList<>();
        for (Object element : list(endpoints)) {
            Map<Object, Object> endpoint = object(element);
            List<?> ports = endpoint.containsKey("port") ? List.of(endpoint.get("port")) : list(endpoint.get("ports"));
            if (endpoint.size() != 2 || !(endpoint.get("host") instanceof String host) || ports.isEmpty()) {
                throw new Foreign();
            }
            ports.forEach(port -> targets.add(Map.entry(host, port)));
        }
        targets.sort(Comparator.comparing(Object::toString));
        return targets;
    }

    private static Set<Object> paths(Object array) throws Foreign {
        Set<Object> paths = new HashSet<>(list(array));
        if (!paths.stream().allMatch(String.class::isInstance)) {
            throw new Foreign();
        }
        return paths;
    }

    private static Map<Object, Object> object(Object value) throws Foreign {
        if (value instanceof Map<?, ?> members) {
            return new HashMap<>(members);
        }
        throw new Foreign();
    }

    private static List<?> list(Object value) throws Foreign {
        if (value instanceof List<?> elements) {
            return elements;
        }
        throw new Foreign();
    }

    private static Object plain(JsonValue value) {
        return switch (value.kind()) {
            case OBJECT -> plain(value.members());
            case ARRAY -> value.items().stream().map(RealmPolicy::plain).toList();
            case STRING -> value.text();
            default -> Map.entry(value.kind(), value.text());
        };
    }

    private static Object plain(List<Member> members) {
        Map<String, Object> object = new HashMap<>();
        members.forEach(member -> object.put(member.key(), plain(member.value())));
        // A member that is given twice makes it none of ours, whichever of the two the gateway goes by.
        return object.size() == members.size() ? object : Optional.of(object);
    }
}
