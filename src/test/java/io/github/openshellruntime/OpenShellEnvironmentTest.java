// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OpenShellEnvironment")
class OpenShellEnvironmentTest {

    private static final Map<String, String> FIXED = Map.of("NO_COLOR", "1", "OPENSHELL_COLOR", "never", "TERM", "dumb",
            "RUST_LOG", "off", "OPENSHELL_NO_BROWSER", "1", "OPENSHELL_TELEMETRY_ENABLED", "false");

    private static Map<String, String> with(Map<String, String> base, String... pairs) {
        Map<String, String> map = new HashMap<>(base);
        for (int i = 0; i < pairs.length; i += 2) {
            map.put(pairs[i], pairs[i + 1]);
        }
        return map;
    }

    @Test
    @DisplayName("AUD-02, R16 select takes three variables of the host and nothing else")
    void select_takesThree() {
        Map<String, String> host = with(Map.of(), "PATH", "/usr/bin", "HOME", "/home/d", "XDG_CONFIG_HOME", "/cfg");
        for (String name : List.of("AWS_SECRET_ACCESS_KEY", "LD_PRELOAD", "JAVA_TOOL_OPTIONS", "BASH_ENV", "COMPLETE",
                "RUST_LOG", "OPENSHELL_GATEWAY", "OPENSHELL_SANDBOX_POLICY", "HTTPS_PROXY", "FORCE_COLOR", "path")) {
            host.put(name, "x");
        }

        assertThat(OpenShellEnvironment.select(host).asMap()).isEqualTo(
                with(FIXED, "PATH", "/usr/bin", "HOME", "/home/d", "XDG_CONFIG_HOME", "/cfg"));
    }

    @Test
    @DisplayName("AUD-02 an empty value counts as unset, and a host cannot change what is fixed")
    void select_dropsEmpty() {
        assertThat(OpenShellEnvironment.select(Map.of("PATH", "", "HOME", "", "TERM", "xterm", "NO_COLOR", "")).asMap())
                .isEqualTo(FIXED);
    }

    @Test
    @DisplayName("the selectors and the provision timeout")
    void with_setsThree() {
        OpenShellEnvironment environment = OpenShellEnvironment.select(Map.of()).withGateway("g.1").withWorkspace("w-1")
                .withProvisionTimeout(Duration.ofMillis(1001));

        assertThat(environment.asMap()).isEqualTo(with(FIXED, "OPENSHELL_GATEWAY", "g.1", "OPENSHELL_WORKSPACE", "w-1",
                "OPENSHELL_PROVISION_TIMEOUT", "2"));
        assertThat(environment.withProvisionTimeout(Duration.ofSeconds(86_400)).asMap())
                .containsEntry("OPENSHELL_PROVISION_TIMEOUT", "86400");
        assertThat(environment.withProvisionTimeout(Duration.ofNanos(1)).asMap())
                .containsEntry("OPENSHELL_PROVISION_TIMEOUT", "1");
    }

    @Test
    @DisplayName("R19 what the config would refuse is an IllegalArgumentException that does not quote it")
    void with_refuses() {
        OpenShellEnvironment environment = OpenShellEnvironment.select(Map.of());

        for (String bad : List.of("", "-g", "a b", "é", "a\n", "x".repeat(254))) {
            assertThatThrownBy(() -> environment.withGateway(bad)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> environment.withWorkspace(bad)).isInstanceOf(IllegalArgumentException.class);
        }
        for (Duration bad : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofSeconds(86_400).plusNanos(1),
                Duration.ofSeconds(Long.MAX_VALUE), Duration.ofSeconds(Long.MIN_VALUE))) {
            assertThatThrownBy(() -> environment.withProvisionTimeout(bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    @DisplayName("AUD-02 passing adds named variables of a closed list")
    void passing_isClosed() {
        Map<String, String> host = Map.of("HTTPS_PROXY", "http://p.example.com", "no_proxy", "", "SSL_CERT_FILE", "/ca",
                "AWS_SECRET_ACCESS_KEY", "x");
        OpenShellEnvironment environment = OpenShellEnvironment.select(Map.of());

        assertThat(environment.passing(host, "HTTPS_PROXY", "no_proxy", "SSL_CERT_FILE", "ALL_PROXY").asMap())
                .isEqualTo(with(FIXED, "HTTPS_PROXY", "http://p.example.com", "no_proxy", "", "SSL_CERT_FILE", "/ca"));
        for (String bad : List.of("AWS_SECRET_ACCESS_KEY", "OPENSHELL_GATEWAY", "LD_PRELOAD", "", "Https_Proxy", "PATH")) {
            assertThatThrownBy(() -> environment.passing(host, bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    @DisplayName("AUD-02 toString has names and no values; the map cannot be changed")
    void toString_hasNoValue() {
        OpenShellEnvironment environment = OpenShellEnvironment.select(Map.of("HOME", "/home/secret"));

        assertThat(environment.toString()).contains("HOME").doesNotContain("secret");
        assertThatThrownBy(() -> environment.asMap().put("A", "b")).isInstanceOf(UnsupportedOperationException.class);
        assertThat(environment).isEqualTo(OpenShellEnvironment.select(Map.of("HOME", "/home/secret")))
                .hasSameHashCodeAs(OpenShellEnvironment.select(Map.of("HOME", "/home/secret")))
                .isNotEqualTo(OpenShellEnvironment.select(Map.of()));
    }
}
