// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.Problem.Rule;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The lists of names that this library ships: loaded when the first entry is judged, and searched where they lie. */
final class EgressNames {

    private static final List<String> METADATA = List.of("metadata.google.internal", "metadata.goog",
            "metadata.azure.internal", "instance-data.ec2.internal", "metadata.tencentyun.com", "metadata.packet.net",
            "metadata.platformequinix.com", "metadata.exoscale.com", "api.metadata.cloud.ibm.com",
            "api.service.softlayer.com");

    /** The Public Suffix List: its version, the rest of its head, and a line for each rule. */
    private static final String SUFFIXES = resource("public-suffixes.txt");

    /** Where each rule begins, in a slot by its hash; 0 for none, which two thirds are. */
    private static final int[] INDEX = new int[1 << 15];

    /** Names of five labels at most, refused with all below them, and wildcards; SHARED_SUFFIX refuses wildcards alone. */
    private static final Map<String, Rule> LISTED = new HashMap<>();

    /** The last two labels of each of them: almost no host ends so. */
    private static final Set<String> TAILS = new HashSet<>();

    static {
        METADATA.forEach(name -> refuse(name, Rule.METADATA));
        lines(resource("rebind-services.txt")).forEach(name -> refuse(name, Rule.REBIND_SERVICE));
        lines(resource("shared-suffixes.txt")).forEach(line -> put(
                line.endsWith(" below") ? line.replace(" below", "") : "*." + line, Rule.SHARED_SUFFIX));
        int start = 0;
        for (String rule : lines(SUFFIXES)) {
            start = SUFFIXES.indexOf("\n" + rule + "\n", start) + 1;
            INDEX[slot(rule)] = start;
        }
    }

    private EgressNames() {
    }

    /** A name, what is below it, and the wildcard that matches it. */
    private static void refuse(String name, Rule rule) {
        put(name, rule);
        put("*" + name.substring(name.indexOf('.')), rule);
    }

    private static void put(String name, Rule rule) {
        LISTED.put(name, rule);
        TAILS.add(name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1));
    }

    /** The slot of a rule, or the free one where it belongs. */
    private static int slot(String rule) {
        int slot = rule.hashCode() & INDEX.length - 1;
        while (INDEX[slot] != 0
                && !(SUFFIXES.startsWith(rule, INDEX[slot]) && SUFFIXES.charAt(INDEX[slot] + rule.length()) == '\n')) {
            slot = slot + 1 & INDEX.length - 1;
        }
        return slot;
    }

    /** Whether the Public Suffix List has this line; it has one for every top-level domain. */
    static boolean hasSuffixRule(String rule) {
        return INDEX[slot(rule)] != 0;
    }

    /** The version of the Public Suffix List, such as {@code 2026-10-22_08-36-41_UTC}. */
    static String suffixVersion() {
        return SUFFIXES.substring("# VERSION: ".length(), SUFFIXES.indexOf('\n'));
    }

    /** The rule of a list that refuses a host, or a wildcard for what it matches; null for none. */
    static Rule refusing(String host) {
        Rule rule = listed(host);
        if (!host.startsWith("*.")) {
            return rule == Rule.SHARED_SUFFIX ? null : rule;
        }
        return rule == null && isPublicSuffix(host.substring(2)) ? Rule.SHARED_SUFFIX : rule;
    }

    private static Rule listed(String host) {
        int dot = host.lastIndexOf('.', host.lastIndexOf('.') - 1);
        for (int labels = 2; labels <= 5; labels++) {
            String suffix = host.substring(dot + 1);
            Rule rule = LISTED.get(suffix);
            if (rule != null || dot < 0 || labels == 2 && !TAILS.contains(suffix)) {
                return rule;
            }
            dot = host.lastIndexOf('.', dot - 1);
        }
        return null;
    }

    /** By the list's own algorithm; so is what has only public suffixes directly below. */
    private static boolean isPublicSuffix(String base) {
        String siblings = "*" + base.substring(Math.max(0, base.indexOf('.')));
        return hasSuffixRule(base) || hasSuffixRule("*." + base) || hasSuffixRule(siblings) && !hasSuffixRule("!" + base);
    }

    private static List<String> lines(String text) {
        return text.lines().filter(line -> !line.startsWith("#")).toList();
    }

    private static String resource(String name) {
        try (InputStream in = EgressNames.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new IllegalStateException("the jar lacks its resource " + name);
        }
    }
}
