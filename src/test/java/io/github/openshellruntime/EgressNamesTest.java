// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The lists of names: what they are, when they are loaded, and that each of their lines counts. */
@DisplayName("Lists of names")
class EgressNamesTest {

    private static final List<String> SUFFIXES = lines("public-suffixes.txt");
    private static final Set<String> RULES =
            SUFFIXES.stream().filter(line -> !line.startsWith("#")).collect(Collectors.toUnmodifiableSet());

    private static List<String> lines(String resource) {
        try (InputStream in = EgressNamesTest.class.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The algorithm of the list, as its home has it: how many labels of a domain are its public suffix. */
    private static int publicSuffix(String domain) {
        String[] labels = domain.split("\\.");
        int longest = 1;
        for (int from = 0; from < labels.length; from++) {
            String suffix = String.join(".", Arrays.copyOfRange(labels, from, labels.length));
            String wildcard = "*" + suffix.substring(labels[from].length());
            if (RULES.contains("!" + suffix)) {
                return labels.length - from - 1;
            }
            if (RULES.contains(suffix) || from < labels.length - 1 && RULES.contains(wildcard)) {
                longest = Math.max(longest, labels.length - from);
            }
        }
        return longest;
    }

    @Test
    @DisplayName("the Public Suffix List has its version and licence at its head, and is sorted")
    void suffixes_areWhole() {
        assertThat(SUFFIXES.get(0)).matches("# VERSION: \\d{4}-\\d\\d-\\d\\d_\\d\\d-\\d\\d-\\d\\d_UTC");
        assertThat(EgressNames.suffixVersion()).isEqualTo(SUFFIXES.get(0).substring("# VERSION: ".length()));
        List<String> head = SUFFIXES.stream().takeWhile(line -> line.startsWith("#")).toList();
        assertThat(String.join(" ", head)).contains("Mozilla Public License, v. 2.0", "publicsuffixlist");
        List<String> rules = SUFFIXES.subList(head.size(), SUFFIXES.size());
        assertThat(rules).hasSizeBetween(10_000, 12_000).isSorted().doesNotHaveDuplicates()
                .allMatch(rule -> rule.matches("(!|\\*\\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?"));
    }

    @Test
    @DisplayName("the curated lists say that they are")
    void curated_sayWhatTheyAre() {
        assertThat(String.join(" ", lines("rebind-services.txt"))).startsWith("#").contains("Curated, not complete");
        assertThat(String.join(" ", lines("shared-suffixes.txt"))).startsWith("#").contains("Curated, not complete");
    }

    @Test
    @DisplayName("RT-05 the last label of every rule is a top-level domain, those of wildcard rules alone, too")
    void topLevelDomains() {
        for (String rule : RULES) {
            assertThat(EgressNames.hasSuffixRule(rule.substring(rule.lastIndexOf('.') + 1))).as(rule).isTrue();
        }
        assertThat(List.of("za", "ck", "er", "web", "merck", "xn--p1ai")).allMatch(EgressNames::hasSuffixRule);
        assertThat(List.of("", "lan", "internal", "juniper", "co", "kom", "c", "comm", "#", "# VERSION: ")).filteredOn(EgressNames::hasSuffixRule)
                .containsExactly("co");
    }

    @Test
    @DisplayName("RT-05 for every rule, what is above, beside and below it is shared exactly where the list's algorithm says so")
    void sharedSuffixes_areThoseOfTheList() {
        Set<String> own = new HashSet<>(lines("shared-suffixes.txt"));
        // The base of a rebinding service, a list that is asked first.
        own.add("addr.tools");
        int shared = 0;
        for (String rule : RULES) {
            String name = rule.replace("!", "").replace("*.", "");
            String above = name.substring(name.indexOf('.') + 1);
            for (String base : List.of(name, above, "a." + name, "b.a." + name, "a." + above, "x" + name)) {
                if (own.contains(base) || (base + ".").contains("amazonaws.com.")) {
                    continue;
                }
                boolean listed = publicSuffix(base) == base.split("\\.").length || RULES.contains("*." + base);
                if (base.indexOf('.') > 0) {
                    assertThat(EgressNames.refusing("*." + base)).as(base).isEqualTo(listed ? Problem.Rule.SHARED_SUFFIX : null);
                    shared += listed ? 1 : 0;
                }
                assertThat(EgressNames.refusing(base)).as(base).isNull();
            }
        }
        assertThat(shared).isGreaterThan(10_000);
    }

    @Test
    @DisplayName("RT-05 every line of our own lists counts, for the name, what is below, and the wildcard that matches it")
    void curated_count() {
        for (String name : lines("rebind-services.txt").stream().filter(line -> !line.startsWith("#")).toList()) {
            assertThat(List.of(name, "a." + name, "c.b.a." + name, "*." + name, "*.a." + name, "*" + name.substring(name.indexOf('.'))))
                    .as(name).allMatch(host -> EgressNames.refusing(host) == Problem.Rule.REBIND_SERVICE);
            assertThat(EgressNames.refusing("a" + name)).as(name).isNull();
        }
        for (String line : lines("shared-suffixes.txt").stream().filter(line -> !line.startsWith("#")).toList()) {
            String name = line.replace(" below", "");
            assertThat(EgressNames.refusing("*." + name)).as(name).isEqualTo(Problem.Rule.SHARED_SUFFIX);
            assertThat(EgressNames.refusing("*.d.c.b.a." + name)).as(name)
                    .isEqualTo(line.equals(name) ? null : Problem.Rule.SHARED_SUFFIX);
            assertThat(List.of(name, "a." + name)).as(name).allMatch(host -> EgressNames.refusing(host) == null);
        }
    }

    @ParameterizedTest(name = "RT-05 metadata: {0}")
    @CsvSource({"metadata.google.internal", "metadata.goog", "metadata.azure.internal", "instance-data.ec2.internal",
        "metadata.tencentyun.com", "metadata.packet.net", "metadata.platformequinix.com", "api.metadata.cloud.ibm.com",
        "api.service.softlayer.com", "metadata.exoscale.com"})
    void metadata(String name) {
        assertThat(List.of(name, "a." + name, "e.d.c.b.a." + name, "*." + name, "*" + name.substring(name.indexOf('.'))))
                .allMatch(host -> EgressNames.refusing(host) == Problem.Rule.METADATA);
        assertThat(EgressNames.refusing("a" + name)).isNull();
    }

    @Test
    @DisplayName("a config without an egress entry loads no list")
    void lists_areLoadedLate() throws Exception {
        List<String> loaded = new ArrayList<>();
        URL classes = RuntimeConfigLoader.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader own = new URLClassLoader(new URL[] {classes}, new ClassLoader(EgressNamesTest.class.getClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (name.startsWith("io.github.openshellruntime.")) {
                    throw new ClassNotFoundException(name);
                }
                return super.loadClass(name, resolve);
            }

            @Override
            public URL getResource(String name) {
                loaded.add(name);
                return null;
            }
        })) {
            assertThat(parsed(own, "{\"workloadArgv\":[\"/usr/bin/agent\"],\"egressAllow\":[],\"owner\":\"a\"}")).isEqualTo("[]");
            assertThat(loaded).isEmpty();
            assertThat(parsed(own, "{\"workloadArgv\":[\"/usr/bin/agent\"],\"egressAllow\":[\"a.example.com\"]}"))
                    .isEqualTo("[a.example.com:443]");
            assertThat(loaded).extracting(name -> name.substring(name.lastIndexOf('/') + 1)).containsExactlyInAnyOrder(
                    "public-suffixes.txt", "rebind-services.txt", "shared-suffixes.txt");
        }
    }

    private static String parsed(ClassLoader own, String json) throws Exception {
        Class<?> loader = own.loadClass(RuntimeConfigLoader.class.getName());
        Object config = loader.getMethod("parse", byte[].class, String.class)
                .invoke(loader.getMethod("standard").invoke(null), json.getBytes(StandardCharsets.UTF_8), "test");
        return config.getClass().getMethod("egressAllow").invoke(config).toString();
    }
}
