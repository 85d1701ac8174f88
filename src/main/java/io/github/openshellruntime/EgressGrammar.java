// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.ConfigReport.Clause;
import io.github.openshellruntime.JsonValue.Kind;
import io.github.openshellruntime.Problem.Rule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * The rule of {@link EgressAllowlist}: what an entry must be, and what the whole list must be. It judges text alone:
 * resolvers, address parsers and IDN mappings all take more than they should.
 */
final class EgressGrammar {

    private static final int MAX_ENTRIES = 128;
    private static final int MAX_ENTRY = 262;
    private static final int MAX_HOST = 253;
    private static final int DEFAULT_PORT = 443;
    private static final Set<Integer> BLOCKED_PORTS = Set.of(2379, 2380, 6443, 10250, 10255);
    private static final Set<String> SPECIAL_USE =
            Set.of("localhost", "local", "internal", "test", "invalid", "example", "onion", "alt", "arpa");

    /** Hex digits and dots up to a second colon, whatever follows; or digits and dots, a slash, digits. */
    private static final Pattern ADDRESS = Pattern.compile("(?s)\\[?[0-9A-Fa-f.]*+:[0-9A-Fa-f.]*+:.*|[0-9.]++/[0-9]+");
    private static final Pattern URL = Pattern.compile("[A-Za-z0-9.*:-]*+[/@][A-Za-z0-9.*:/@-]*+");
    private static final Pattern WILDCARD = Pattern.compile("\\*\\.[^.*]+\\.[^*]+");
    private static final Pattern SHORT_LABELS = Pattern.compile("(?:[^.]{1,63}+\\.)*+[^.]{1,63}+");
    private static final Pattern NUMERIC = Pattern.compile("[0-9]+|0x[0-9a-f]*");
    private static final Pattern SEVERAL_PORTS = Pattern.compile("(?s)[^:]*:[0-9]+ *[-,;: ].*");
    private static final IntPredicate OUTSIDE_CHARSET = c -> c != '*' && !Text.isHostCharacter(c);
    private static final String ADDRESS_WORDS = "is an IP address or a network, or reads as one";
    private static final String HOST_ALONE = "write the host alone, such as api.example.com";
    private static final String ONE_AN_ENTRY = "one host (one port) an entry";
    private static final String ASK_OUTSIDE = "let the program outside the sandbox ask it";
    private static final Function<Entry, String> URL_HINT = e -> HOST_ALONE + (e.text.contains("://")
            ? ", or api.example.com:80 for http" : e.text.indexOf('@') >= 0 ? ", without a user" : ", without a path");
    private static final Function<Entry, String> PORT_HINT = e -> e.text.contains("://") ? URL_HINT.apply(e)
            : SEVERAL_PORTS.matcher(e.text).matches() ? ONE_AN_ENTRY : "write plain digits, or no colon for 443";
    private static final Function<Entry, String> ZONE_HINT = e -> EgressZones.couldLift(e.host)
            ? "the program that embeds this library can allow a private zone" : ASK_OUTSIDE;

    /** How an entry is spelled, in the order in which it is refused. */
    private static final List<Clause<Entry>> SPELLING = List.of(
            Clause.of(Rule.TYPE, e -> e.item.kind() != Kind.STRING, e -> Clause.STRING.message().apply(e.item), ""),
            Clause.of(Rule.EMPTY, e -> e.text.isEmpty(), e -> "is empty", HOST_ALONE),
            Clause.of(Rule.LENGTH, e -> e.text.length() > MAX_ENTRY, e -> "is longer than " + MAX_ENTRY + " characters", ""),
            Clause.of(Rule.NON_ASCII, e -> !Text.isAscii(e.text), e -> firstOf(e.text, c -> c > 0x7F),
                    "write a name in another script in its xn-- form"),
            Clause.of(Rule.IP_LITERAL, e -> ADDRESS.matcher(e.text).matches(), e -> ADDRESS_WORDS, "name the host"),
            new Clause<>(Rule.URL, e -> URL.matcher(e.text).matches(),
                    e -> firstOf(e.text, c -> c == '/' || c == '@') + ", as a URL has", URL_HINT),
            new Clause<>(Rule.CHARSET, e -> Text.indexOf(e.host, OUTSIDE_CHARSET) >= 0,
                    e -> firstOf(e.host, OUTSIDE_CHARSET),
                    e -> e.text.indexOf(',') >= 0 ? ONE_AN_ENTRY : "a host has letters, digits, dots and hyphens"),
            Clause.of(Rule.EMPTY, e -> e.host.isEmpty(), e -> "has no host before the colon", HOST_ALONE),
            new Clause<>(Rule.PORT, e -> e.port == 0, e -> "has no port from 1 to 65535 after the colon", PORT_HINT));

    /** What an entry that is well spelled may name, in the order in which it is refused. */
    private static final List<Clause<Entry>> NAMING = List.of(
            Clause.of(Rule.PORT_BLOCKED, e -> BLOCKED_PORTS.contains(e.port),
                    e -> "names port " + e.port + ", which OpenShell accepts and then denies", ""),
            Clause.of(Rule.TRAILING_DOT, e -> e.host.endsWith(".") && e.host.length() > 1,
                    e -> e.shown() + " ends in a dot", "drop the dot"),
            Clause.of(Rule.EMPTY_LABEL, e -> !e.plain && (e.host.startsWith(".") || e.host.contains("..")),
                    e -> e.shown() + " has an empty label", "for the names directly below a domain write *.example.com"),
            Clause.of(Rule.LENGTH, e -> e.host.length() > MAX_HOST, e -> "has a host over " + MAX_HOST + " characters", ""),
            Clause.of(Rule.WILDCARD, e -> e.host.indexOf('*') >= 0 && !WILDCARD.matcher(e.host).matches(),
                    e -> e.shown() + " has a * that is not the whole first label with two labels after it",
                    "write *.example.com or the host itself"),
            Clause.of(Rule.LABEL, e -> !e.plain || e.host.length() > 63 && !SHORT_LABELS.matcher(e.host).matches(),
                    e -> e.shown() + " has a label that is not 1 to 63 letters, digits and inner hyphens", ""),
            Clause.of(Rule.IP_LITERAL, e -> e.last.charAt(0) <= '9' && NUMERIC.matcher(e.last).matches(),
                    e -> ADDRESS_WORDS, "name the host"),
            new Clause<>(Rule.SPECIAL_USE, e -> SPECIAL_USE.contains(e.last) && !e.zones.lift(e.host),
                    e -> e.shown() + " is under ." + e.last + ", which is not public", ZONE_HINT),
            Clause.of(Rule.SINGLE_LABEL, e -> e.host.indexOf('.') < 0, e -> e.shown() + " is a single label",
                    "write the full name, such as api.example.com"),
            new Clause<>(Rule.NOT_PUBLIC_TLD, e -> !EgressNames.hasSuffixRule(e.last) && !e.zones.lift(e.host),
                    e -> e.shown() + " is under ." + Text.printable(e.last) + ", no top-level domain of the Public Suffix"
                            + " List " + EgressNames.suffixVersion(), ZONE_HINT),
            Clause.of(Rule.METADATA, e -> e.listed == Rule.METADATA,
                    e -> e.shown() + " is or matches the metadata service of a cloud", ASK_OUTSIDE),
            Clause.of(Rule.REBIND_SERVICE, e -> e.listed == Rule.REBIND_SERVICE,
                    e -> e.shown() + " resolves to whatever address the name spells", ASK_OUTSIDE),
            Clause.of(Rule.SHARED_SUFFIX, e -> e.listed == Rule.SHARED_SUFFIX,
                    e -> e.shown() + " matches names that belong to strangers", "name each host"));

    /** An entry in its parts, in lower case; a bad port is 0. Nearly all are plain, and a plain one keeps its spelling. */
    private record Entry(JsonValue item, String text, EgressZones zones, String host, String last, int port, String normal,
            boolean plain, Rule listed) {

        static Entry of(JsonValue item, EgressZones zones) {
            String lower = item.text().toLowerCase(Locale.ROOT);
            int colon = lower.indexOf(':');
            String host = colon < 0 ? lower : lower.substring(0, colon);
            int port = colon < 0 ? DEFAULT_PORT : Text.port(lower.substring(colon + 1));
            boolean ascii = lower.equals(item.text()) || Text.isAscii(item.text());
            boolean plain = item.kind() == Kind.STRING && lower.length() <= MAX_ENTRY && ascii && port > 0
                    && Text.isHost(host.startsWith("*.") ? host.substring(2) : host);
            return new Entry(item, item.text(), zones, host, host.substring(host.lastIndexOf('.') + 1), port,
                    port == DEFAULT_PORT ? host : lower, plain, EgressNames.refusing(host));
        }

        /** The host for a message: one is quoted only where it has host characters alone. */
        String shown() {
            return Text.printable(host);
        }
    }

    private final EgressZones zones;

    EgressGrammar(EgressZones zones) {
        this.zones = zones;
    }

    private static String firstOf(String text, IntPredicate wrong) {
        int at = Text.indexOf(text, wrong);
        return "has " + Text.codePoint(text, at) + " at offset " + at;
    }

    /** @throws IllegalArgumentException for what is no private zone */
    EgressGrammar allowing(String... more) {
        for (String zone : more) {
            if (!isZone(Entry.of(JsonValue.scalar(Kind.STRING, zone, JsonSource.NO_OFFSET), EgressZones.NONE))) {
                throw new IllegalArgumentException("a private zone is a lower-case host without port or wildcard, under a"
                        + " name that is not public, such as corp.example.internal; got " + Text.printable(zone));
            }
        }
        return new EgressGrammar(zones.and(List.of(more)));
    }

    private static boolean isZone(Entry entry) {
        boolean written = entry.plain && entry.text.equals(entry.host) && entry.host.indexOf('*') < 0;
        boolean single = entry.host.equals(entry.last);
        if (!written || single && (EgressNames.hasSuffixRule(entry.host) || entry.host.equals("localhost"))) {
            return false;
        }
        Clause<Entry> stop = Clause.firstBroken(NAMING, entry);
        Rule other = single ? Rule.SINGLE_LABEL : Rule.NOT_PUBLIC_TLD;
        return stop != null && (stop.rule() == Rule.SPECIAL_USE || stop.rule() == other);
    }

    /** Checks a whole list; if the report gets a problem, the result is meaningless. */
    EgressAllowlist list(JsonValue array, String pointer, ConfigReport report) {
        List<JsonValue> items = array.items();
        if (items.size() > MAX_ENTRIES) {
            report.add(Rule.COUNT, array.offset(), () -> pointer,
                    () -> items.size() + " entries; at most " + MAX_ENTRIES + " are taken", () -> "");
        }
        // By text: a map can hold many texts with one hash.
        Map<String, Integer> first = new HashMap<>();
        List<EgressRule> rules = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            JsonValue item = items.get(i);
            int index = i;
            Supplier<String> at = () -> pointer + "/" + index;
            Entry entry = Entry.of(item, zones);
            if ((entry.plain || report.keeps(SPELLING, entry, item.offset(), at))
                    && report.keeps(NAMING, entry, item.offset(), at)) {
                Integer earlier = first.putIfAbsent(entry.normal, i);
                if (earlier == null) {
                    rules.add(new EgressRule(entry.host, entry.port));
                } else {
                    report.add(Rule.DUPLICATE, item.offset(), at, () -> "duplicates entry " + earlier + ", " + entry.shown()
                            + ":" + entry.port, () -> "remove one of them");
                }
            }
        }
        return new EgressAllowlist(report.isEmpty() ? rules : List.of());
    }
}
