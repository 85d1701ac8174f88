// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.Problem.Rule;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The private zones that a program allows: names strictly below them need not be public. */
final class EgressZones {

    static final EgressZones NONE = new EgressZones(Set.of());
    private static final String OCTET = "0*(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])";
    /** What no zone lifts: this machine and the engine beneath a sandbox, with all below them. */
    private static final List<String> NEVER_BELOW = List.of(
            ".localhost.", ".docker.internal.", ".containers.internal.", ".openshell.internal.", ".ryno.internal.");
    /** The API of a cluster, with all below it, in any domain. */
    private static final List<String> NEVER_AROUND = List.of(".kubernetes.default.svc.", ".openshift.default.svc.");
    /** What a first label means, and wildcards that match such names. */
    private static final Pattern NEVER = Pattern.compile(String.join("|",
            "(inference|policy)\\.local",
            "host\\..+\\.internal",
            "(instance-data|metadata)\\.(.+\\.)?internal",
            "(ip-)?" + OCTET + "(-" + OCTET + "){3}\\..*",
            "\\*\\.([^.]+\\.pod|default\\.svc)(\\..*)?"));

    /** Each with a dot in front. */
    private final Set<String> zones;

    private EgressZones(Set<String> zones) {
        this.zones = zones;
    }

    EgressZones and(List<String> more) {
        Set<String> all = new HashSet<>(zones);
        more.forEach(zone -> all.add("." + zone));
        return new EgressZones(Set.copyOf(all));
    }

    /** Whether a host, or what a wildcard stands for, is taken without being public. */
    boolean lift(String host) {
        String dotted = "." + host + ".";
        // A wildcard matches host and metadata, too; allowed only if its base is a zone.
        boolean tooWide = host.startsWith("*.") && host.endsWith(".internal") && !zones.contains(host.substring(1));
        return zones.stream().anyMatch(host::endsWith) && !tooWide && NEVER_BELOW.stream().noneMatch(dotted::endsWith)
                && NEVER_AROUND.stream().noneMatch(dotted::contains) && !NEVER.matcher(host).matches()
                && EgressNames.refusing(host) != Rule.METADATA;
    }

    /** Whether a zone that a program may allow would lift this host. */
    static boolean couldLift(String host) {
        String parent = host.substring(host.indexOf('.') + 1);
        return (parent.indexOf('.') >= 0 || !EgressNames.hasSuffixRule(parent)) && NONE.and(List.of(parent)).lift(host);
    }
}
