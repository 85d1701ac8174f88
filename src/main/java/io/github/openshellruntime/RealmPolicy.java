// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

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
 * The policy that {@code get} shows, and whether it is one that this library wrote. JSON is compared as maps, lists and strings
 * without places; any other scalar is its kind and its text.
 */
final class RealmPolicy {

    private static final String FILES = "filesystem_policy";
    private static final String READ_ONLY = "read_only";
    private static final String READ_WRITE = "read_write";
    private static final String NETWORK = "network_policies";
    private static final String ENDPOINTS = "endpoints";

    /** Thrown where a policy has a part that this library writes in no document. */
    private static final class Foreign extends Exception {

        private static final long serialVersionUID = 1L;

        Foreign() {
            super("a policy of another form", null, false, false);
        }
    }

    private final Optional<Object> policy;
    private final Optional<Object> source;

    RealmPolicy(Optional<JsonValue> policy, Optional<JsonValue> source) {
        this.policy = policy.map(RealmPolicy::plain);
        this.source = source.map(RealmPolicy::plain);
    }

    boolean isShown() {
        return policy.isPresent();
    }

    PolicyInForce compare(PolicyDocument written) {
        String json = written.json();
        if (source.isPresent() && !source.get().equals("sandbox")) {
            return PolicyInForce.DIFFERENT;
        }
        if (policy.isEmpty()) {
            return PolicyInForce.NOT_SHOWN;
        }
        return isSame(policy.get(), json) ? PolicyInForce.SAME : PolicyInForce.DIFFERENT;
    }

    private static boolean isSame(Object shown, String written) {
        try {
            return isSame(members(shown), members(plain(CliAnswer.json(written))));
        } catch (Foreign e) {
            return false;
        } catch (StrictJson.Unreadable e) {
            throw new IllegalStateException("a document of this library is JSON");
        }
    }

    private static boolean isSame(Map<?, ?> shown, Map<?, ?> ours) throws Foreign {
        if (!ours.keySet().containsAll(shown.keySet())) {
            return false;
        }
        for (Object name : ours.keySet()) {
            // A gateway leaves an empty section out.
            Object section = shown.containsKey(name) ? shown.get(name) : Map.of();
            boolean same = name.equals(FILES) ? areSameFiles(members(section), members(ours.get(name)))
                    : name.equals(NETWORK) ? network(section).equals(network(ours.get(name)))
                    : section.equals(ours.get(name));
            if (!same) {
                return false;
            }
        }
        return true;
    }

    /** Gateways add directories that can be read, such as {@code /var/log}; nothing else may be added. */
    private static boolean areSameFiles(Map<?, ?> shown, Map<?, ?> ours) throws Foreign {
        for (Object name : ours.keySet()) {
            boolean same = name.equals(READ_ONLY) ? paths(shown.get(name)).containsAll(paths(ours.get(name)))
                    : name.equals(READ_WRITE) ? paths(shown.get(name)).equals(paths(ours.get(name)))
                    : ours.get(name).equals(shown.get(name));
            if (!same) {
                return false;
            }
        }
        return shown.size() == ours.size();
    }

    private static Set<Object> paths(Object list) throws Foreign {
        Set<Object> paths = new HashSet<>();
        for (Object path : elements(list)) {
            if (!(path instanceof String)) {
                throw new Foreign();
            }
            paths.add(path);
        }
        return paths;
    }

    /** The rules, each with its endpoints as pairs of host and port in one order. */
    private static Map<Object, Object> network(Object section) throws Foreign {
        Map<Object, Object> rules = new HashMap<>();
        for (Map.Entry<?, ?> entry : members(section).entrySet()) {
            Map<Object, Object> rule = new HashMap<>(members(entry.getValue()));
            rule.put(ENDPOINTS, targets(rule.get(ENDPOINTS)));
            rules.put(entry.getKey(), rule);
        }
        return rules;
    }

    private static List<Object> targets(Object endpoints) throws Foreign {
        List<Object> targets = new ArrayList<>();
        for (Object element : elements(endpoints)) {
            Map<?, ?> endpoint = members(element);
            List<?> ports = endpoint.containsKey("port") ? List.of(endpoint.get("port")) : elements(endpoint.get("ports"));
            if (endpoint.size() != 2 || !(endpoint.get("host") instanceof String host) || ports.isEmpty()) {
                throw new Foreign();
            }
            ports.forEach(port -> targets.add(Map.entry(host, port)));
        }
        targets.sort(Comparator.comparing(Object::toString));
        return targets;
    }

    private static Map<?, ?> members(Object object) throws Foreign {
        if (object instanceof Map<?, ?> members) {
            return members;
        }
        throw new Foreign();
    }

    private static List<?> elements(Object array) throws Foreign {
        if (array instanceof List<?> elements) {
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
        Map<String, Object> map = new HashMap<>();
        members.forEach(member -> map.put(member.key(), plain(member.value())));
        // With a member given twice it is none of ours, whichever of the two a gateway goes by.
        return map.size() == members.size() ? map : Optional.of(map);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RealmPolicy that && policy.equals(that.policy) && source.equals(that.source);
    }

    @Override
    public int hashCode() {
        return policy.hashCode() + source.hashCode();
    }
}
