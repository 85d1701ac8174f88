// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.Problem.Rule;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The rule of {@link EgressAllowlist}: what an entry must be, and what the whole list must be. Text alone is judged; no
 * resolver, no address parser and no IDN mapping is asked, since each of them takes more than it should.
 */
final class EgressCheck {

    static final int MAX_ENTRIES = 128;

    private static final int MAX_ENTRY = 262;
    private static final int MAX_HOST = 253;
    private static final int DEFAULT_PORT = 443;
    private static final int MAX_PORT = 65_535;
    private static final int MAX_PORT_DIGITS = 5;

    /** Hex digits and dots up to a second colon: whatever follows, it is IPv6 or wants to be. */
    private static final Pattern IPV6 = Pattern.compile("\\[?[0-9A-Fa-f.]*:[0-9A-Fa-f.]*:.*", Pattern.DOTALL);
    private static final Pattern NETWORK = Pattern.compile("[0-9.]+/[0-9]+");
    private static final Pattern URL = Pattern.compile("[A-Za-z0-9.*:/@-]*[/@][A-Za-z0-9.*:/@-]*");
    private static final Pattern NUMERIC = Pattern.compile("[0-9]+|0x[0-9a-f]*");
    private static final int MAX_LABEL = 63;
    /** An entry that a message may quote: nothing in it but host characters and a colon. */
    private static final Pattern QUOTABLE = Pattern.compile("[A-Za-z0-9.*:-]+");

    private static final Set<Integer> BLOCKED_PORTS = Set.of(2379, 2380, 6443, 10250, 10255);
    private static final Set<String> SPECIAL_USE =
            Set.of("localhost", "local", "internal", "test", "invalid", "example", "onion", "alt", "arpa");
    private static final Set<String> METADATA = Set.of("metadata.google.internal", "metadata.goog",
            "metadata.azure.internal", "instance-data.ec2.internal", "metadata.tencentyun.com", "metadata.packet.net",
            "metadata.platformequinix.com", "api.metadata.cloud.ibm.com");
    private static final Set<String> KNOWN = union(METADATA, NameLists.REBIND_SERVICES);
    private static final Set<String> NEVER_PRIVATE = Set.of("host.openshell.internal", "host.docker.internal",
            "host.containers.internal", "host.ryno.internal", "inference.local", "policy.local");
    private static final String CLUSTER_API = "kubernetes.default.svc";

    private final Set<String> zones;

    EgressCheck() {
        this(Set.of());
    }

    private EgressCheck(Set<String> zones) {
        this.zones = zones;
    }

    /** An entry that is refused. */
    static final class Refused extends Exception {

        private static final long serialVersionUID = 1L;

        private final Rule rule;
        private final String hint;

        Refused(Rule rule, String message, String hint) {
            super(message, null, false, false);
            this.rule = rule;
            this.hint = hint;
        }
    }

    /** @throws IllegalArgumentException for what is no private zone */
    EgressCheck allowing(String... moreZones) {
        Set<String> all = new HashSet<>(zones);
        for (String zone : moreZones) {
            requireZone(zone);
            all.add(zone);
        }
        return new EgressCheck(Set.copyOf(all));
    }

    private static void requireZone(String zone) {
        Rule stop = null;
        try {
            new EgressCheck().entry(zone);
        } catch (Refused refused) {
            stop = refused.rule;
        }
        boolean plain = zone.equals(zone.toLowerCase(Locale.ROOT)) && zone.indexOf(':') < 0 && zone.indexOf('*') < 0
                && zone.indexOf('.') > 0;
        if (!plain || stop != Rule.SPECIAL_USE && stop != Rule.NOT_PUBLIC_TLD) {
            throw new IllegalArgumentException("a private zone is a lower-case host of at least two labels, without"
                    + " port or wildcard, under a name that is not public, such as corp.example.internal; got "
                    + Text.printable(zone));
        }
    }

    /** Checks a whole list; problems go to {@code report}, and the result then holds what passed. */
    EgressAllowlist list(JsonValue array, String pointer, SourceText source, List<Problem> report) {
        if (array.items().size() > MAX_ENTRIES) {
            report.add(source.problem(Rule.COUNT, pointer, array.offset(),
                    array.items().size() + " entries; at most " + MAX_ENTRIES + " are taken", ""));
        }
        Map<EgressRule, Integer> first = new LinkedHashMap<>();
        for (int i = 0; i < array.items().size(); i++) {
            JsonValue item = array.items().get(i);
            try {
                if (item.kind() != JsonValue.Kind.STRING) {
                    throw new Refused(Rule.TYPE, "must be a string, is " + item.kind().words(), "");
                }
                EgressRule rule = entry(item.text());
                Integer earlier = first.putIfAbsent(rule, i);
                if (earlier != null) {
                    throw new Refused(Rule.DUPLICATE, "says the same as entry " + earlier + ", " + shown(rule.toString()),
                            "remove one of them");
                }
            } catch (Refused refused) {
                report.add(source.problem(refused.rule, pointer + "/" + i, item.offset(), refused.getMessage(),
                        refused.hint));
            }
        }
        return new EgressAllowlist(List.copyOf(first.keySet()));
    }

    /** Checks and normalises one entry. */
    EgressRule entry(String entry) throws Refused {
        if (entry.isEmpty()) {
            throw new Refused(Rule.EMPTY, "is empty", "write a host such as api.example.com");
        }
        if (entry.length() > MAX_ENTRY) {
            throw new Refused(Rule.LENGTH, "is longer than " + MAX_ENTRY + " characters", "");
        }
        refuseOtherNotations(entry);
        int colon = entry.indexOf(':');
        String host = colon < 0 ? entry : entry.substring(0, colon);
        requireHostCharacters(host);
        int port = colon < 0 ? DEFAULT_PORT : port(entry.substring(colon + 1));
        return new EgressRule(host(host.toLowerCase(Locale.ROOT)), port);
    }

    private static void refuseOtherNotations(String entry) throws Refused {
        for (int i = 0; i < entry.length(); i++) {
            if (entry.charAt(i) > 0x7F) {
                throw new Refused(Rule.NON_ASCII, "has " + Text.codePoint(entry, i) + " at offset " + i,
                        "write a name in another script in its xn-- form");
            }
        }
        // The patterns are asked only where they could match: the plain entry is the common one.
        boolean slash = entry.indexOf('/') >= 0;
        if (entry.indexOf(':') != entry.lastIndexOf(':') && IPV6.matcher(entry).matches()
                || slash && NETWORK.matcher(entry).matches()) {
            throw ipLiteral();
        }
        if ((slash || entry.indexOf('@') >= 0) && URL.matcher(entry).matches()) {
            int at = slash ? entry.indexOf('/') : entry.indexOf('@');
            throw new Refused(Rule.URL, "has " + Text.codePoint(entry, at) + " at offset " + at + ", as a URL has",
                    "write the host alone, without scheme, path or user");
        }
    }

    private static void requireHostCharacters(String host) throws Refused {
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            if (!isLetterOrDigit(c) && c != '.' && c != '*' && c != '-') {
                throw new Refused(Rule.CHARSET, "has " + Text.codePoint(host, i) + " at offset " + i,
                        "a host has letters, digits, dots and hyphens");
            }
        }
        if (host.isEmpty()) {
            throw new Refused(Rule.EMPTY, "has no host before the colon", "");
        }
    }

    private static boolean isLetterOrDigit(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
    }

    private static int port(String port) throws Refused {
        int number = number(port);
        if (number > MAX_PORT) {
            throw new Refused(Rule.PORT, "has no port from 1 to 65535 after the colon",
                    "write plain digits, or leave out the colon for 443");
        }
        if (BLOCKED_PORTS.contains(number)) {
            throw new Refused(Rule.PORT_BLOCKED, "names port " + number + ", which OpenShell accepts and then denies", "");
        }
        return number;
    }

    /** One to five digits without a leading zero as a number, and more than any port for everything else. */
    private static int number(String port) {
        int number = 0;
        boolean plain = !port.isEmpty() && port.length() <= MAX_PORT_DIGITS && port.charAt(0) != '0';
        for (int i = 0; plain && i < port.length(); i++) {
            char c = port.charAt(i);
            plain = c >= '0' && c <= '9';
            number = 10 * number + c - '0';
        }
        return plain ? number : Integer.MAX_VALUE;
    }

    private String host(String host) throws Refused {
        requireDots(host);
        requireLabels(host);
        requirePublic(host);
        requireNotKnown(host);
        return host;
    }

    private static void requireDots(String host) throws Refused {
        if (!host.equals(".") && host.endsWith(".")) {
            throw new Refused(Rule.TRAILING_DOT, shown(host) + " ends in a dot", "drop the dot");
        }
        if (host.startsWith(".") || host.contains("..")) {
            throw new Refused(Rule.EMPTY_LABEL, shown(host) + " has an empty label",
                    host.startsWith(".") ? "for names below a domain write *.example.com" : "");
        }
        if (host.length() > MAX_HOST) {
            throw new Refused(Rule.LENGTH, "has a host longer than " + MAX_HOST + " characters", "");
        }
    }

    private static void requireLabels(String host) throws Refused {
        boolean wildcard = host.startsWith("*.");
        if (host.indexOf('*') >= 0
                && (!wildcard || host.lastIndexOf('*') > 0 || host.indexOf('.') == host.lastIndexOf('.'))) {
            throw new Refused(Rule.WILDCARD,
                    shown(host) + " has a * that is not the whole first label with two labels after it",
                    "write *.example.com or the host itself");
        }
        int end;
        for (int start = wildcard ? 2 : 0; start < host.length(); start = end + 1) {
            int dot = host.indexOf('.', start);
            end = dot < 0 ? host.length() : dot;
            if (end - start > MAX_LABEL || host.charAt(start) == '-' || host.charAt(end - 1) == '-') {
                throw new Refused(Rule.LABEL, shown(host) + " has a label that is not 1 to 63 letters, digits and hyphens"
                        + " with no hyphen at either end", "");
            }
        }
    }

    private void requirePublic(String host) throws Refused {
        String last = host.substring(host.lastIndexOf('.') + 1);
        if (last.charAt(0) <= '9' && NUMERIC.matcher(last).matches()) {
            throw ipLiteral();
        }
        boolean lifted = isPrivate(host);
        if (SPECIAL_USE.contains(last) && !lifted) {
            throw new Refused(Rule.SPECIAL_USE, shown(host) + " is under ." + last + ", which is not public",
                    "the program that embeds this library can allow a private zone");
        }
        if (host.indexOf('.') < 0) {
            throw new Refused(Rule.SINGLE_LABEL, shown(host) + " is a single label", "write the full name");
        }
        if (!NameLists.TOP_LEVEL_DOMAINS.contains(last) && !lifted) {
            throw new Refused(Rule.NOT_PUBLIC_TLD, shown(host) + " is under ." + Text.printable(last)
                    + ", no public top-level domain of " + NameLists.TOP_LEVEL_DOMAINS_DATE, "");
        }
    }

    private boolean isPrivate(String host) {
        return !zones.isEmpty() && zones.stream().anyMatch(zone -> host.endsWith("." + zone)) && !isNeverPrivate(host);
    }

    private static boolean isNeverPrivate(String host) {
        if (host.equals("localhost") || host.endsWith(".localhost") || isAnyAtOrBelow(host, METADATA)) {
            return true;
        }
        String api = host.startsWith("*.") ? CLUSTER_API.substring(0, CLUSTER_API.indexOf('.')) + host.substring(1) : host;
        return NEVER_PRIVATE.stream().anyMatch(name -> covers(host, name))
                || api.equals(CLUSTER_API) || api.startsWith(CLUSTER_API + ".");
    }

    private static void requireNotKnown(String host) throws Refused {
        // Both lists at once: nearly every host is in neither.
        if (isAnyAtOrBelow(host, KNOWN)) {
            throw isAnyAtOrBelow(host, METADATA)
                    ? new Refused(Rule.METADATA, shown(host) + " is or matches the metadata service of a cloud", "")
                    : new Refused(Rule.REBIND_SERVICE, shown(host) + " resolves to whatever address the name spells", "");
        }
        if (host.startsWith("*.") && isShared(host.substring(2))) {
            throw new Refused(Rule.SHARED_SUFFIX, shown(host) + " matches names that belong to strangers",
                    "name each host");
        }
    }

    private static boolean isShared(String base) {
        return NameLists.SHARED_SUFFIXES.contains(base) || isAtOrBelow(base, NameLists.DEEP_SHARED_SUFFIXES);
    }

    /** Whether a host, or what a wildcard matches, is one of the names or below it. */
    private static boolean isAnyAtOrBelow(String host, Set<String> names) {
        return isAtOrBelow(host, names)
                || host.startsWith("*.") && names.stream().anyMatch(name -> covers(host, name));
    }

    /** Looks up the host and each of its suffixes, which are few, instead of comparing with each name. */
    private static boolean isAtOrBelow(String host, Set<String> names) {
        String suffix = host;
        while (!names.contains(suffix)) {
            int dot = suffix.indexOf('.');
            if (dot < 0) {
                return false;
            }
            suffix = suffix.substring(dot + 1);
        }
        return true;
    }

    /** Whether the host is the name, or a wildcard that matches it. */
    private static boolean covers(String host, String name) {
        return host.equals(name) || host.startsWith("*.") && host.substring(1).equals(name.substring(name.indexOf('.')));
    }

    private static Set<String> union(Set<String> one, Set<String> other) {
        Set<String> both = new HashSet<>(one);
        both.addAll(other);
        return Set.copyOf(both);
    }

    private static Refused ipLiteral() {
        return new Refused(Rule.IP_LITERAL, "is an IP address or a network, or reads as one", "name the host");
    }

    private static String shown(String entry) {
        return QUOTABLE.matcher(entry).matches() ? Text.printable(entry) : "it";
    }
}
