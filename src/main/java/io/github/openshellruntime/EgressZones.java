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

    /** What no zone lifts: names of this machine, of the engine beneath a sandbox, of a cluster's API, and of addresses. */
    private static final Pattern NEVER = Pattern.compile(String.join("|",
            "(.*\\.)?localhost",
            "(inference|policy)\\.local",
            "(.*\\.)?(docker|containers|openshell|ryno)\\.internal",
            "host\\..+\\.internal",
            "(instance-data|metadata)\\.(.+\\.)?internal",
            "(.*\\.)?(kubernetes|openshift|\\*)\\.default\\.svc(\\..*)?",
            "(ip-)?" + OCTET + "(-" + OCTET + "){3}\\..*",
            "\\*\\.[^.]+\\.pod(\\..*)?"));

    private final Set<String> zones;

    private EgressZones(Set<String> zones) {
        this.zones = zones;
    }

    EgressZones and(List<String> more) {
        Set<String> all = new HashSet<>(zones);
        all.addAll(more);
        return new EgressZones(Set.copyOf(all));
    }

    /** Whether a host, or what a wildcard stands for, is taken without being public. */
    boolean lift(String host) {
        int dot = zones.isEmpty() ? -1 : host.indexOf('.');
        // A wildcard matches host and metadata, too; for those of its own base a zone answers.
        boolean tooWide = host.startsWith("*.") && host.endsWith(".internal") && !zones.contains(host.substring(2));
        while (dot >= 0 && !zones.contains(host.substring(dot + 1))) {
            dot = host.indexOf('.', dot + 1);
        }
        return dot >= 0 && !tooWide && !NEVER.matcher(host).matches() && EgressNames.refusing(host) != Rule.METADATA;
    }

    /** Whether a zone that a program may allow would lift this host. */
    static boolean couldLift(String host) {
        String parent = host.substring(host.indexOf('.') + 1);
        return (parent.indexOf('.') >= 0 || !EgressNames.hasSuffixRule(parent)) && NONE.and(List.of(parent)).lift(host);
    }
}
