// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tricks beyond the table, three and more of each kind, and what private zones lift. */
@DisplayName("Egress check")
class EgressGrammarTest {

    private static String verdict(RuntimeConfigLoader loader, String entry) {
        RefusedException refusal =
                Refusals.of(() -> loader.builder(List.of("/usr/bin/agent")).egressAllow(List.of(entry)).build());
        return refusal == null ? "-" : refusal.problems().get(0).rule().name();
    }

    private static void assertVerdict(String entry, String rule) {
        assertThat(verdict(RuntimeConfigLoader.standard(), entry)).as(entry).isEqualTo(rule);
    }

    @ParameterizedTest(name = "RT-05 R11 catch-alls: {0}")
    @CsvSource({"*:80,WILDCARD", "*.*,WILDCARD", "*.io:443,WILDCARD", "*.*.example.com,WILDCARD", "**.example.com,WILDCARD",
        "a.*.example.com,WILDCARD", "*a.example.com,WILDCARD", "*.example.*,WILDCARD", "example.*,WILDCARD", "*.*.*.*,WILDCARD",
        "*.,TRAILING_DOT", "*..com,EMPTY_LABEL", "..,TRAILING_DOT", "*.com.,TRAILING_DOT", "-.com,LABEL", "*-,WILDCARD"})
    void catchAlls(String entry, String rule) {
        assertVerdict(entry, rule);
    }

    @ParameterizedTest(name = "RT-05 R12, R64 addresses in disguise: {0}")
    @CsvSource({"1.1.1.1:53,IP_LITERAL", "0177.0.0.1,IP_LITERAL", "0x7F.0x0.0x0.0x1,IP_LITERAL", "017700000001,IP_LITERAL",
        "3232235777,IP_LITERAL", "192.168.257,IP_LITERAL", "a.1,IP_LITERAL", "example.com.0X7F,IP_LITERAL", "0X,IP_LITERAL",
        "255.255.255.255:65535,IP_LITERAL", "*.0.0.127,IP_LITERAL", "fe80::1,IP_LITERAL", "[fe80::1]:8080,IP_LITERAL",
        "[::ffff:10.0.0.1]:1,IP_LITERAL", "::,IP_LITERAL", "[::,IP_LITERAL", "64:ff9b::7f00:1,IP_LITERAL", "2002:7f00:1::,IP_LITERAL",
        "a:b:c:d,IP_LITERAL", "::1%lo,IP_LITERAL", "fc00::/7,IP_LITERAL", "192.168.0.0/16,IP_LITERAL", "0/0,IP_LITERAL",
        "169.254.169.254.,TRAILING_DOT", "[127.0.0.1],CHARSET", "1.2.3.4/x,URL", "/8,URL", "1.1.1.1/,URL", "10.0.0.1:0,PORT"})
    void addresses(String entry, String rule) {
        assertVerdict(entry, rule);
    }

    @ParameterizedTest(name = "RT-05 R13, R66 URLs and user information: {0}")
    @CsvSource({"ftp://a.example.com,URL", "a.example.com:443/,URL", "user:pass@a.example.com,URL", "a.example.com@b.example.org,URL",
        "http://localhost:80@attacker.example,URL", "wss://a.example.com:443,URL", "@,URL", "/,URL", "a/b@c,URL",
        "a.example.com#b,CHARSET", "a.example.com?b,CHARSET", "https://a.example.com?b,PORT", "https://g.example\\@e.example,PORT",
        "a.example.com:443?x,PORT", "a.example.com:443#x,PORT", "data:text,PORT", "javascript:alert(1),PORT"})
    void urls(String entry, String rule) {
        assertVerdict(entry, rule);
    }

    @ParameterizedTest(name = "RT-05 R65 ports: {0}")
    @CsvSource({"a.example.com:00443,PORT", "a.example.com:0443,PORT", "a.example.com:4.43,PORT", "a.example.com:443.0,PORT",
        "a.example.com:1e3,PORT", "a.example.com:88888,PORT", "a.example.com:65536,PORT", "a.example.com:100000,PORT",
        "a.example.com:443:80,PORT", "a.example.com:0x50,PORT", "a.example.com:*,PORT", "a.example.com:-443,PORT",
        "a.example.com: 443,PORT", "a.example.com:443-444,PORT", "a.example.com:443;444,PORT", "*.example.com:6443,PORT_BLOCKED",
        "a.example.com:10255,PORT_BLOCKED", "a.example.com:65535,-", "a.example.com:1,-", ":0,EMPTY", ":,EMPTY", "::,IP_LITERAL"})
    void ports(String entry, String rule) {
        assertVerdict(entry, rule);
    }

    @ParameterizedTest(name = "RT-05 R63 other scripts: {0}")
    @ValueSource(strings = {"\uff45xample.com", "exa\u200bmple.com", "example\u3002com", "ex\u00e4mple.com", "\u0130nfo.example.com",
        "example.com\uff0f", "a.example.com:\uff14\uff14\uff13", "a.example.com:\u0664\u0664\u0663", "\u202emoc.elpmaxe", "a.\ud83d\ude00",
        "\u212aube.example.com", "x\u0000\u00e9", "[\u00e9::1]", "https://\u00e9.example.com", "\ud800.example.com"})
    void otherScripts(String entry) {
        assertVerdict(entry, "NON_ASCII");
    }

    @ParameterizedTest(name = "RT-05 R67 injection: {0}")
    @ValueSource(strings = {"a.example.com\nnetwork_policies: {}", "\"a.example.com", "a.example.com'", "- a.example.com", "a.example.com\u0000",
        "a.example.com\r", "a.example.com\t", "!!str a", "&a", "{a.example.com}", "a.example.com}", "~", "%", "a_b.example.com", "a b.example.com",
        "$(id).example.com", "`id`.example.com", "a|b.example.com", "<a>.example.com", "a,b.example.com", "\u007f.example.com"})
    void injection(String entry) {
        assertVerdict(entry, "CHARSET");
    }

    @ParameterizedTest(name = "RT-05 labels and lengths: {0}")
    @CsvSource({"a.-b.com,LABEL", "a.b-.com,LABEL", "-.example.com,LABEL", "*.-example.com,LABEL", "xn--.com,LABEL", "a.xn---.com,LABEL",
        "xn--a.example.com,-", "a--b.example.com,-", "1.example.com,-", "1-1.example.com,-", "0x7f.example.com,-", "x.xn--p1ai,-"})
    void labels(String entry, String rule) {
        assertVerdict(entry, rule);
    }

    @Test
    @DisplayName("RT-05 lengths are exact: 63 a label, 253 a host, 262 an entry")
    void lengths() {
        String label = "a".repeat(63);
        String host = label + "." + label + "." + label + "." + "a".repeat(57) + ".com";
        assertThat(host).hasSize(253);
        assertVerdict(host + ":65535", "-");
        assertVerdict("a" + host + ":6553", "LENGTH");
        assertVerdict("a".repeat(64) + ".com", "LABEL");
        assertVerdict("*." + label + "." + label + "." + label + "." + "a".repeat(55) + ".com", "-");
        assertVerdict("*." + label + "." + label + "." + label + "." + "a".repeat(56) + ".com", "LENGTH");
        assertVerdict("\u00e9".repeat(263), "LENGTH");
        assertVerdict("\u00e9".repeat(262), "NON_ASCII");
        assertVerdict("a".repeat(5_000_000), "LENGTH");
        assertVerdict("a".repeat(262), "LENGTH");
        assertVerdict("a.".repeat(126) + "a", "NOT_PUBLIC_TLD");
    }

    @ParameterizedTest(name = "RT-05 names that lead inside: {0}")
    @CsvSource({"a.localhost,SPECIAL_USE", "router.local,SPECIAL_USE", "a.b.internal,SPECIAL_USE", "x.alt,SPECIAL_USE",
        "1.0.0.127.in-addr.arpa,SPECIAL_USE", "a.onion,SPECIAL_USE", "*.a.test,SPECIAL_USE", "test,SPECIAL_USE", "a.example,SPECIAL_USE",
        "kubernetes.default.svc,NOT_PUBLIC_TLD", "db.prod.svc,NOT_PUBLIC_TLD", "a.lan,NOT_PUBLIC_TLD", "a.corp,NOT_PUBLIC_TLD",
        "a.intranet,NOT_PUBLIC_TLD", "a.kom,NOT_PUBLIC_TLD", "a.localdomain,NOT_PUBLIC_TLD", "com,SINGLE_LABEL", "db,SINGLE_LABEL",
        "metadata.tencentyun.com,METADATA", "a.b.metadata.packet.net,METADATA", "*.packet.net,METADATA", "*.metadata.packet.net,METADATA",
        "metadata.goog,METADATA", "x.metadata.goog,METADATA", "*.metadata.cloud.ibm.com,METADATA", "*.cloud.ibm.com,-", "packet.net,-",
        "xmetadata.packet.net,-", "10-0-0-1.nip.io,REBIND_SERVICE", "nip.io,REBIND_SERVICE", "*.a.sslip.io,REBIND_SERVICE",
        "anip.io,-", "a.lvh.me:8080,REBIND_SERVICE", "*.github.io,SHARED_SUFFIX", "*.a.github.io,-", "a.github.io,-",
        "*.agithub.io,-", "*.s3.amazonaws.com,SHARED_SUFFIX", "*.co.uk,SHARED_SUFFIX", "*.a.co.uk,-"})
    void inside(String entry, String rule) {
        assertVerdict(entry, rule);
    }

    @ParameterizedTest(name = "RT-05 a zone lifts its own names and no others: {0} in {1}")
    @CsvSource({"git.corp.internal,corp.internal,-", "a.b.corp.internal,corp.internal,-", "*.corp.internal,corp.internal,-",
        "*.a.corp.lan:8443,corp.lan,-", "corp.internal,corp.internal,SPECIAL_USE", "xcorp.internal,corp.internal,SPECIAL_USE",
        "git.corp.internal,other.internal,SPECIAL_USE", "*.internal,corp.internal,WILDCARD", "git.corp.local,corp.internal,SPECIAL_USE",
        "nas.home.lan,home.lan,-", "home.lan,home.lan,NOT_PUBLIC_TLD", "x.lan,home.lan,NOT_PUBLIC_TLD",
        "a_b.corp.internal,corp.internal,CHARSET", "a.corp.internal:2379,corp.internal,PORT_BLOCKED", "-a.corp.internal,corp.internal,LABEL",
        "git.corp.internal.,corp.internal,TRAILING_DOT", "GIT.CORP.INTERNAL,corp.internal,-", "a.svc.cluster.local,svc.cluster.local,-",
        "git.lan,lan,-", "a.b.c.lan:8080,lan,-", "lan,lan,SINGLE_LABEL", "*.lan,lan,WILDCARD", "git.xlan,lan,NOT_PUBLIC_TLD", "nexus.internal,internal,-",
        "internal,internal,SPECIAL_USE", "db.test,test,-", "git.corp,corp,-", "router.home.arpa,home.arpa,-", "home.arpa,home.arpa,SPECIAL_USE",
        "10.0.0.1,lan,IP_LITERAL", "a.1,lan,IP_LITERAL", "x.nip.io,lan,REBIND_SERVICE"})
    void zone_lifts(String entry, String zone, String rule) {
        assertThat(verdict(RuntimeConfigLoader.standard().allowingPrivateZones(zone), entry)).isEqualTo(rule);
    }

    @ParameterizedTest(name = "RT-05 never lifted: {0} in {1}")
    @CsvSource({"a.x.localhost,x.localhost,SPECIAL_USE", "*.x.localhost,x.localhost,SPECIAL_USE",
        "host.openshell.internal,openshell.internal,SPECIAL_USE", "*.openshell.internal,openshell.internal,SPECIAL_USE",
        "host.docker.internal:8080,docker.internal,SPECIAL_USE", "*.docker.internal,docker.internal,SPECIAL_USE",
        "host.containers.internal,containers.internal,SPECIAL_USE", "*.containers.internal,containers.internal,SPECIAL_USE",
        "host.ryno.internal,ryno.internal,SPECIAL_USE", "*.ryno.internal,ryno.internal,SPECIAL_USE",
        "metadata.google.internal,google.internal,SPECIAL_USE", "*.google.internal,google.internal,SPECIAL_USE",
        "x.metadata.google.internal,google.internal,SPECIAL_USE", "*.metadata.google.internal,google.internal,SPECIAL_USE",
        "metadata.azure.internal,azure.internal,SPECIAL_USE", "instance-data.ec2.internal,ec2.internal,SPECIAL_USE",
        "*.ec2.internal,ec2.internal,SPECIAL_USE", "kubernetes.default.svc,default.svc,NOT_PUBLIC_TLD",
        "*.default.svc,default.svc,NOT_PUBLIC_TLD", "kubernetes.default.svc.cluster.local,cluster.local,SPECIAL_USE",
        "*.default.svc.cluster.local,cluster.local,SPECIAL_USE", "kubernetes.default.svc.corp.lan,corp.lan,NOT_PUBLIC_TLD",
        "*.default.svc.corp.lan,corp.lan,NOT_PUBLIC_TLD", "other.docker.internal,docker.internal,SPECIAL_USE",
        "kubernetes.other.svc.cluster.local,cluster.local,-", "*.svc.cluster.local,cluster.local,-",
        "xkubernetes.default.svc.cluster.local,cluster.local,-", "kubernetes.default.svcx.cluster.local,cluster.local,-",
        "x.google.internal,google.internal,-",
        "docker.internal,internal,SPECIAL_USE", "a.b.docker.internal,internal,SPECIAL_USE", "*.a.docker.internal,docker.internal,SPECIAL_USE",
        "x.containers.internal,internal,SPECIAL_USE", "openshell.internal,internal,SPECIAL_USE", "a.ryno.internal,internal,SPECIAL_USE",
        "adocker.internal,internal,-", "docker.corp.internal,internal,-",
        "host.k3d.internal,internal,SPECIAL_USE", "host.minikube.internal,minikube.internal,SPECIAL_USE", "host.a.b.internal,b.internal,SPECIAL_USE",
        "host.internal,internal,-", "ahost.k3d.internal,internal,-", "host.k3d.lan,lan,-", "a.host.k3d.internal,internal,-",
        "*.k3d.internal,internal,SPECIAL_USE", "*.k3d.internal,k3d.internal,-", "*.a.k3d.internal,k3d.internal,SPECIAL_USE", "*.a.lan,lan,-",
        "metadata.internal,internal,SPECIAL_USE", "metadata.corp.internal,internal,SPECIAL_USE", "metadata.a.b.internal,b.internal,SPECIAL_USE",
        "instance-data.corp.internal,corp.internal,SPECIAL_USE", "instance-data.internal,internal,SPECIAL_USE", "a.metadata.internal,internal,-",
        "xmetadata.internal,internal,-", "metadata.lan,lan,-", "metadata.google.internal,internal,SPECIAL_USE", "x.metadata.azure.internal,internal,SPECIAL_USE",
        "inference.local,local,SPECIAL_USE", "policy.local,local,SPECIAL_USE", "printer.local,local,-", "ainference.local,local,-",
        "openshift.default.svc,svc,NOT_PUBLIC_TLD", "x.openshift.default.svc,svc,NOT_PUBLIC_TLD", "*.openshift.default.svc,svc,NOT_PUBLIC_TLD",
        "openshift.default.svc.cluster.local,cluster.local,SPECIAL_USE", "a.b.kubernetes.default.svc.lan,lan,NOT_PUBLIC_TLD",
        "*.default.svc.lan,default.svc.lan,NOT_PUBLIC_TLD", "*.a.default.svc.lan,lan,-", "kubernetes.svc.cluster.local,cluster.local,-",
        "kubernetes.default.asvc.lan,lan,-", "kubernetes.default.lan,lan,-",
        "10-0-0-1.ns.pod.cluster.local,cluster.local,SPECIAL_USE", "ip-10-0-0-1.ec2.internal,ec2.internal,SPECIAL_USE",
        "10-0-0-1.lan,lan,NOT_PUBLIC_TLD", "IP-255-255-255-255.lan,lan,NOT_PUBLIC_TLD", "010-00-000-001.lan,lan,NOT_PUBLIC_TLD",
        "10-0-0-256.lan,lan,-", "10-0-0.lan,lan,-", "10-0-0-1-2.lan,lan,-", "a10-0-0-1.lan,lan,-", "a.10-0-0-1.lan,lan,-", "ipx-10-0-0-1.lan,lan,-",
        "*.ns.pod.cluster.local,cluster.local,SPECIAL_USE", "*.ns.pod.lan,ns.pod.lan,NOT_PUBLIC_TLD", "*.pod.cluster.local,cluster.local,-",
        "a.ns.pod.cluster.local,cluster.local,-", "*.a.ns.pod.cluster.local,cluster.local,-"})
    void zone_neverLifts(String entry, String zone, String rule) {
        assertThat(verdict(RuntimeConfigLoader.standard().allowingPrivateZones(zone), entry)).isEqualTo(rule);
    }

    @ParameterizedTest(name = "RT-05 no zone: \"{0}\"")
    @ValueSource(strings = {"", "com", "arpa", "onion", "za", "ck", "xn--p1ai", "localhost", "Lan", "lan:443", "*.lan", "123", "0x1f", "*.corp.internal", "*", "corp.internal.", ".corp.internal", "corp..internal",
        "Corp.internal", "corp.internal:443", "example.com", "corp.example.com", "10.0.0.1", "a.1", "corp_x.internal", "\u00e9.internal",
        "-a.internal", "a/b.internal", " corp.internal", "corp.internal\n", "co.uk"})
    void zone_isChecked(String zone) {
        assertThatThrownBy(() -> RuntimeConfigLoader.standard().allowingPrivateZones(zone))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("corp.example.internal");
        assertThatThrownBy(() -> RuntimeConfigLoader.standard().allowingPrivateZones("ok.internal", zone))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest(name = "RT-05 a zone: {0}")
    @ValueSource(strings = {"internal", "local", "lan", "svc", "corp", "test", "example", "invalid", "alt", "xn--nowhere", "corp.internal", "home.arpa",
        "a.onion", "docker.internal", "x.localhost", "inference.local", "a-b.c1.d.lan"})
    void zone_isTaken(String zone) {
        assertThat(RuntimeConfigLoader.standard().allowingPrivateZones(zone, zone)).isNotNull();
    }

    @Test
    @DisplayName("RT-05 repeated calls add zones and leave the first loader as it was")
    void zones_add() {
        RuntimeConfigLoader one = RuntimeConfigLoader.standard().allowingPrivateZones("a.internal");
        RuntimeConfigLoader two = one.allowingPrivateZones("b.lan", "c.example.local");

        assertThat(List.of(verdict(one, "x.a.internal"), verdict(one, "x.b.lan"))).containsExactly("-", "NOT_PUBLIC_TLD");
        assertThat(List.of(verdict(two, "x.a.internal"), verdict(two, "x.b.lan"), verdict(two, "x.c.example.local")))
                .containsExactly("-", "-", "-");
        assertThat(verdict(RuntimeConfigLoader.standard(), "x.a.internal")).isEqualTo("SPECIAL_USE");
        assertThatThrownBy(() -> one.allowingPrivateZones((String) null)).isInstanceOf(NullPointerException.class);
        assertThat(verdict(one.allowingPrivateZones(), "x.a.internal")).isEqualTo("-");
    }

    @Test
    @DisplayName("RT-05 duplicates count among what passed; the first of its equals is named")
    void duplicates() {
        RefusedException refusal = Refusals.of(() -> RuntimeConfig.builder(List.of("/usr/bin/agent")).egressAllow(
                List.of("*", "*", "A.example.com", "a.example.com:443", "a.example.com", "a.example.com:80")).build());

        assertThat(Refusals.summary(refusal)).containsExactly("WILDCARD /egressAllow/0", "WILDCARD /egressAllow/1",
                "DUPLICATE /egressAllow/3", "DUPLICATE /egressAllow/4");
        assertThat(refusal.problems().get(2).message()).contains("entry 2");
        assertThat(refusal.problems().get(3).message()).contains("entry 2");
    }

    @Test
    @DisplayName("RT-05 COUNT counts refused elements and stands before them")
    void count() {
        RefusedException refusal = Refusals.of(() -> RuntimeConfig.builder(List.of("/usr/bin/agent"))
                .egressAllow(Collections.nCopies(129, "*")).build());

        assertThat(refusal.problems().get(0).rule()).isEqualTo(Problem.Rule.COUNT);
        assertThat(refusal.problems().get(0).message()).contains("129");
        assertThat(refusal.problems()).hasSize(20);
        assertThat(refusal.omitted()).isEqualTo(110);
    }

    @ParameterizedTest(name = "RT-05 hints say what helps: {0}, {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "git.corp.internal|a private zone", "nas.lan|a private zone", "example.kom|a private zone", "*.a.test|a private zone",
        "*.k3d.internal|a private zone", "router.home.arpa|a private zone", "a.b.onion|a private zone",
        "localhost|the program outside the sandbox", "a.localhost|the program outside", "host.docker.internal|the program outside",
        "*.docker.internal|the program outside", "host.k3d.internal|the program outside", "metadata.google.internal|the program outside",
        "inference.local|the program outside", "kubernetes.default.svc|the program outside", "10-0-0-1.ns.pod.cluster.local|the program outside",
        "ipv4only.arpa|the program outside", "x.onion|the program outside", "test|the program outside", "metadata.packet.net|the program outside",
        "10-0-0-1.nip.io|the program outside",
        "a.example.com,b.example.com|one host (one port) an entry", "a.example.com, b.example.com|one host (one port) an entry",
        "a.example.com:80-90|one host (one port) an entry", "a.example.com:80,443|one host (one port) an entry",
        "a.example.com:80:443|one host (one port) an entry", "a.example.com:80;443|one host (one port) an entry",
        "a.example.com:80 443|one host (one port) an entry", "a.example.com:80, 443|one host (one port) an entry",
        "a.example.com:080|plain digits", "a.example.com:x|plain digits", "a.example.com:|plain digits",
        "https://api.example.com|write the host alone, such as api.example.com", "http://api.example.com|api.example.com:80 for http",
        "https://a.example.com?b|write the host alone", "api.example.com/v1|without a path", "u:p@api.example.com|without a user",
        "db|write the full name, such as api.example.com", "*.github.io|name each host", "a.example.com.|drop the dot",
        ".example.com|write *.example.com", "10.0.0.1|name the host", "a_b.example.com|letters, digits, dots and hyphens"})
    void hints(String entry, String words) {
        RefusedException refusal =
                Refusals.of(() -> RuntimeConfig.builder(List.of("/usr/bin/agent")).egressAllow(List.of(entry)).build());

        assertThat(refusal.problems()).singleElement().extracting(Problem::hint).asString().contains(words);
        boolean zone = words.contains("a private zone");
        assertThat(refusal.problems().get(0).hint().contains("zone")).isEqualTo(zone);
    }

    @Test
    @DisplayName("RT-05 an entry of host characters is shown, any other is described")
    void messages() {
        RefusedException refusal = Refusals.of(() -> RuntimeConfig.builder(List.of("/usr/bin/agent"))
                .egressAllow(List.of("a.*.example.com", "a.example.com/path", "caf\u00e9.example.com", "a b.example.com")).build());

        assertThat(refusal.problems()).extracting(Problem::message).satisfiesExactly(
                message -> assertThat(message).contains("a.*.example.com"),
                message -> assertThat(message).contains("offset 13", "U+002F").doesNotContain("example"),
                message -> assertThat(message).contains("offset 3", "U+00E9").doesNotContain("example"),
                message -> assertThat(message).contains("offset 1", "U+0020").doesNotContain("example"));
    }

    @Test
    @DisplayName("rules are sorted by host in ASCII, then by port as a number")
    void rules_areSorted() {
        EgressAllowlist list = RuntimeConfig.builder(List.of("/usr/bin/agent")).egressAllow(List.of("b.example.com:1000",
                "b.example.com:99", "a-b.example.com", "a.example.com", "*.example.com")).build().egressAllow();

        assertThat(list).hasToString("[*.example.com:443, a-b.example.com:443, a.example.com:443, b.example.com:99,"
                + " b.example.com:1000]");
        assertThat(list.isEmpty()).isFalse();
        assertThat(list.rules().get(0)).isEqualTo(new EgressRule("*.example.com", 443))
                .hasSameHashCodeAs(new EgressRule("*.example.com", 443)).isNotEqualTo(new EgressRule("*.example.com", 444))
                .isNotEqualTo(new EgressRule("a.example.com", 443));
        assertThatThrownBy(() -> list.rules().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThat(list).isEqualTo(new EgressAllowlist(list.rules())).hasSameHashCodeAs(new EgressAllowlist(list.rules()));
    }
}
