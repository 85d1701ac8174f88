// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The lists of names that this library ships as resources, each with its date in the first lines. */
final class NameLists {

    private static final String BELOW = " below";

    /** Top-level domains of the public DNS. Going stale fails closed. */
    static final Set<String> TOP_LEVEL_DOMAINS = Set.copyOf(lines("tlds.txt"));

    /** The day on which {@link #TOP_LEVEL_DOMAINS} was taken. */
    static final String TOP_LEVEL_DOMAINS_DATE = "2026-11-30";

    /** Services that resolve a name to the address that it spells. Curated, not complete. */
    static final Set<String> REBIND_SERVICES = Set.copyOf(lines("rebind-services.txt"));

    /** Suffixes whose children belong to strangers. Curated, not complete. */
    static final Set<String> SHARED_SUFFIXES = sharedSuffixes(false);

    /** Those of {@link #SHARED_SUFFIXES} below which every level is shared. */
    static final Set<String> DEEP_SHARED_SUFFIXES = sharedSuffixes(true);

    private NameLists() {
    }

    private static Set<String> sharedSuffixes(boolean deepOnly) {
        Set<String> names = new HashSet<>();
        for (String line : lines("shared-suffixes.txt")) {
            boolean deep = line.endsWith(BELOW);
            if (deep || !deepOnly) {
                names.add(deep ? line.substring(0, line.length() - BELOW.length()) : line);
            }
        }
        return Set.copyOf(names);
    }

    private static List<String> lines(String resource) {
        try (InputStream in = NameLists.class.getResourceAsStream(resource);
                BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII))) {
            return reader.lines().filter(line -> !line.isEmpty() && !line.startsWith("#")).toList();
        } catch (IOException e) {
            throw new IllegalStateException("the jar lacks its resource " + resource);
        }
    }
}
