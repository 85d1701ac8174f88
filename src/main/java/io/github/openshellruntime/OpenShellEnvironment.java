// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * The whole environment of an {@code openshell} process: nothing of the parent's is inherited. Immutable and thread-safe;
 * each method returns a new environment. Equal when names and values are.
 *
 * <p>Why so little: {@code COMPLETE} makes the CLI print completions and exit 0 without doing anything, without
 * {@code RUST_LOG=off} the CLI logs to standard output in front of its answer, any {@code OPENSHELL_*} can redirect the call,
 * and nothing of the host may reach a sandbox.
 */
public final class OpenShellEnvironment {

    /** What {@link #select} takes from the host. */
    static final List<String> TAKEN = List.of("PATH", "HOME", "XDG_CONFIG_HOME");

    private static final Map<String, String> FIXED = Map.of(
            "NO_COLOR", "1",
            "OPENSHELL_COLOR", "never",
            "TERM", "dumb",
            "RUST_LOG", "off",
            "OPENSHELL_NO_BROWSER", "1",
            "OPENSHELL_TELEMETRY_ENABLED", "false");

    private static final Set<String> PASSABLE =
            Set.of("SSL_CERT_FILE", "SSL_CERT_DIR", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY");

    private static final long MAX_SECONDS = 86_400;
    private static final Duration HEAD_START = Duration.ofSeconds(5);

    private final Map<String, String> variables;

    private OpenShellEnvironment(Map<String, String> variables) {
        this.variables = Collections.unmodifiableMap(variables);
    }

    /**
     * Takes {@code PATH}, {@code HOME} and {@code XDG_CONFIG_HOME} from the host, an empty value counting as none, and sets
     * {@code NO_COLOR=1}, {@code OPENSHELL_COLOR=never}, {@code TERM=dumb}, {@code RUST_LOG=off},
     * {@code OPENSHELL_NO_BROWSER=1} and {@code OPENSHELL_TELEMETRY_ENABLED=false}.
     *
     * @param host usually {@code System.getenv()}
     */
    public static OpenShellEnvironment select(Map<String, String> host) {
        TreeMap<String, String> variables = new TreeMap<>(FIXED);
        for (String name : TAKEN) {
            String value = host.get(name);
            if (value != null && !value.isEmpty()) {
                variables.put(name, value);
            }
        }
        return new OpenShellEnvironment(variables);
    }

    /**
     * Returns the environment that {@link OpenShellCli#verify(RuntimeConfig, Map, String...)} gives its CLI:
     * {@link #select} with the config's gateway and workspace, what is {@link #passing}, and a provision timeout. That is the
     * config's create timeout less 5 seconds, but at least half of it, rounded up. So the CLI can say why a sandbox did not
     * start before our deadline ends it. It may still be too late: it counts only seconds without progress.
     *
     * @param host usually {@code System.getenv()}
     * @param passing names as {@link #passing} takes them
     * @throws IllegalArgumentException for another name
     */
    public static OpenShellEnvironment of(RuntimeConfig config, Map<String, String> host, String... passing) {
        OpenShellEnvironment environment = select(host).passing(host, passing)
                .withProvisionTimeout(provisionTimeout(config.createTimeout()));
        if (config.gateway().isPresent()) {
            environment = environment.withGateway(config.gateway().get());
        }
        return config.workspace().isPresent() ? environment.withWorkspace(config.workspace().get()) : environment;
    }

    private static Duration provisionTimeout(Duration createTimeout) {
        Duration half = createTimeout.dividedBy(2);
        Duration early = createTimeout.minus(HEAD_START);
        return early.compareTo(half) > 0 ? early : half;
    }

    /**
     * Sets {@code OPENSHELL_GATEWAY}.
     *
     * @param gateway {@code [A-Za-z0-9][A-Za-z0-9._-]{0,252}}: gateways are named after hosts
     * @throws IllegalArgumentException for any other text
     */
    public OpenShellEnvironment withGateway(String gateway) {
        return with("OPENSHELL_GATEWAY", selector("gateway", 253, gateway, ConfigSchema.isGateway(gateway)));
    }

    /**
     * Sets {@code OPENSHELL_WORKSPACE}.
     *
     * @param workspace {@code [A-Za-z0-9][A-Za-z0-9._-]{0,62}}
     * @throws IllegalArgumentException for any other text
     */
    public OpenShellEnvironment withWorkspace(String workspace) {
        return with("OPENSHELL_WORKSPACE", selector("workspace", 63, workspace, ConfigSchema.isWorkspace(workspace)));
    }

    private static String selector(String what, int most, String value, boolean accepted) {
        if (!accepted) {
            throw new IllegalArgumentException("a " + what + " is 1 to " + most + " letters, digits, dots, underscores and hyphens,"
                    + " the first a letter or digit");
        }
        return value;
    }

    /**
     * Sets {@code OPENSHELL_PROVISION_TIMEOUT}: after so many seconds without progress the CLI gives up a create by itself,
     * and says why. The default is 300.
     *
     * @param timeout rounded up to whole seconds, 1 to 86,400
     * @throws IllegalArgumentException if it is out of range
     */
    public OpenShellEnvironment withProvisionTimeout(Duration timeout) {
        long seconds = timeout.getSeconds();
        boolean sane = !timeout.isNegative() && !timeout.isZero() && seconds <= MAX_SECONDS;
        long roundedUp = sane && timeout.getNano() > 0 ? seconds + 1 : seconds;
        if (!sane || roundedUp > MAX_SECONDS) {
            throw new IllegalArgumentException("a provision timeout is 1 to " + MAX_SECONDS + " seconds");
        }
        return with("OPENSHELL_PROVISION_TIMEOUT", Long.toString(roundedUp));
    }

    /**
     * Adds variables of the host by name: {@code SSL_CERT_FILE}, {@code SSL_CERT_DIR}, {@code HTTP_PROXY},
     * {@code HTTPS_PROXY}, {@code ALL_PROXY}, {@code NO_PROXY} and their lower-case forms. One that the host lacks is left
     * out; one that is empty is passed.
     *
     * @param host usually {@code System.getenv()}
     * @throws IllegalArgumentException for any other name
     */
    public OpenShellEnvironment passing(Map<String, String> host, String... names) {
        Objects.requireNonNull(host);
        TreeMap<String, String> more = new TreeMap<>(variables);
        for (String name : names) {
            String upper = name.toUpperCase(Locale.ROOT);
            if (!PASSABLE.contains(upper) || !name.equals(upper) && !name.equals(upper.toLowerCase(Locale.ROOT))) {
                throw new IllegalArgumentException(Text.printable(name) + " cannot be passed; these can, and their"
                        + " lower-case forms: " + String.join(", ", PASSABLE.stream().sorted().toList()));
            }
            String value = host.get(name);
            if (value != null) {
                more.put(name, value);
            }
        }
        return new OpenShellEnvironment(more);
    }

    private OpenShellEnvironment with(String name, String value) {
        TreeMap<String, String> more = new TreeMap<>(variables);
        more.put(name, value);
        return new OpenShellEnvironment(more);
    }

    /** Returns names and values, sorted by name; unmodifiable. */
    public Map<String, String> asMap() {
        return variables;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OpenShellEnvironment that && variables.equals(that.variables);
    }

    @Override
    public int hashCode() {
        return variables.hashCode();
    }

    /** Returns the names; no value. */
    @Override
    public String toString() {
        return "OpenShellEnvironment" + variables.keySet();
    }
}
