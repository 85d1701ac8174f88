// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * How the realms of one dispatcher are run: the workload, what it may reach, and where OpenShell is. It comes from
 * {@link RuntimeConfigLoader}, whose documentation has the whole grammar, or from a {@link Builder} with the same
 * rules; so an instance has passed every check. Immutable and thread-safe; equal when all values are, whatever the order of
 * the egress entries.
 */
public final class RuntimeConfig {

    static final Duration DEFAULT_CREATE_TIMEOUT = Duration.ofSeconds(600);
    static final Duration DEFAULT_EXEC_TIMEOUT = Duration.ofSeconds(120);

    /** The checked values; equal when all are. */
    record Values(List<String> workloadArgv, EgressAllowlist egressAllow, Optional<String> image, Optional<Path> policyDir,
            Optional<Path> openshellPath, Optional<String> gateway, Optional<String> workspace, Optional<String> owner,
            Duration createTimeout, Duration execTimeout) {

        Values {
            workloadArgv = List.copyOf(workloadArgv);
        }
    }

    private final Values values;

    RuntimeConfig(Values values) {
        this.values = values;
    }

    /**
     * Starts a config in code instead of a file: the same as {@code RuntimeConfigLoader.standard().builder(workloadArgv)}.
     *
     * @param workloadArgv the sandbox's command; copied, checked by {@link Builder#build()}
     */
    public static Builder builder(List<String> workloadArgv) {
        return RuntimeConfigLoader.standard().builder(workloadArgv);
    }

    /** Returns the sandbox's command, 1 to 256 elements, the first an absolute path; unmodifiable. */
    public List<String> workloadArgv() {
        return values.workloadArgv();
    }

    /** Returns what the workload may reach; empty, which is nothing, by default. */
    public EgressAllowlist egressAllow() {
        return values.egressAllow();
    }

    /** Returns the image reference for {@code --from}; empty: the gateway's default image. */
    public Optional<String> image() {
        return values.image();
    }

    /** Returns the name of a registered gateway; empty: the active one. */
    public Optional<String> gateway() {
        return values.gateway();
    }

    /** Returns the gateway's workspace; empty: its default. */
    public Optional<String> workspace() {
        return values.workspace();
    }

    /** Returns the dispatcher's own label, which keeps its realms apart from those of others on one gateway. */
    public Optional<String> owner() {
        return values.owner();
    }

    /** Returns the directory for policy files, absolute; this library does not use it unless told to. */
    public Optional<Path> policyDir() {
        return values.policyDir();
    }

    /** Returns the {@code openshell} executable, absolute; empty: the first on the {@code PATH}. */
    public Optional<Path> openshellPath() {
        return values.openshellPath();
    }

    /** Returns how long a create may take, 1 to 86,400 whole seconds; 600 by default. */
    public Duration createTimeout() {
        return values.createTimeout();
    }

    /** Returns how long a command in the sandbox may take, 1 to 86,400 whole seconds; 120 by default. */
    public Duration execTimeout() {
        return values.execTimeout();
    }

    /**
     * Returns what is allowed in this config but probably not meant, in the order of the keys; empty when there is nothing to
     * say. Advice and never a refusal: log it when a config is loaded. Unmodifiable.
     */
    public List<Advisory> advisories() {
        return AdvisoryRules.of(this);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RuntimeConfig that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /** Returns the workload's path, counts and timeouts; no argument and no other value of the config. */
    @Override
    public String toString() {
        return "RuntimeConfig[workload=" + workloadArgv().get(0) + ", arguments=" + (workloadArgv().size() - 1)
                + ", egressAllow=" + egressAllow().rules().size() + ", createTimeout=" + createTimeout()
                + ", execTimeout=" + execTimeout() + "]";
    }

    /**
     * Builds a config in code under the rules of the file, with the same refusals: pointers as if it had been a file,
     * without lines and columns. What is not set is missing. Not thread-safe.
     */
    public static final class Builder {

        private final EgressGrammar egress;
        private final Map<String, JsonValue> members = new LinkedHashMap<>();

        Builder(List<String> workloadArgv, EgressGrammar egress) {
            this.egress = egress;
            members.put(ConfigSchema.WORKLOAD_ARGV, strings(workloadArgv));
        }

        /**
         * Sets the hosts that the workload may reach, as {@link EgressAllowlist} has it; copied.
         *
         * @return this builder
         */
        public Builder egressAllow(List<String> entries) {
            return set(ConfigSchema.EGRESS_ALLOW, strings(entries));
        }

        /**
         * Sets the image reference.
         *
         * @return this builder
         */
        public Builder image(String image) {
            return set(ConfigSchema.IMAGE, string(image));
        }

        /**
         * Sets the name of the gateway.
         *
         * @return this builder
         */
        public Builder gateway(String gateway) {
            return set(ConfigSchema.GATEWAY, string(gateway));
        }

        /**
         * Sets the gateway's workspace.
         *
         * @return this builder
         */
        public Builder workspace(String workspace) {
            return set(ConfigSchema.WORKSPACE, string(workspace));
        }

        /**
         * Sets the dispatcher's own label.
         *
         * @return this builder
         */
        public Builder owner(String owner) {
            return set(ConfigSchema.OWNER, string(owner));
        }

        /**
         * Sets the directory for policy files, judged by its {@code toString()}.
         *
         * @return this builder
         * @throws IllegalArgumentException if the path is of another file system than the default one
         */
        public Builder policyDir(Path policyDir) {
            return set(ConfigSchema.POLICY_DIR, path(policyDir));
        }

        /**
         * Sets the {@code openshell} executable, judged by its {@code toString()}.
         *
         * @return this builder
         * @throws IllegalArgumentException if the path is of another file system than the default one
         */
        public Builder openshellPath(Path openshellPath) {
            return set(ConfigSchema.OPENSHELL_PATH, path(openshellPath));
        }

        /**
         * Sets how long a create may take: 1 to 86,400 whole seconds.
         *
         * @return this builder
         */
        public Builder createTimeout(Duration createTimeout) {
            return set(ConfigSchema.CREATE_TIMEOUT, seconds(createTimeout));
        }

        /**
         * Sets how long a command in the sandbox may take: 1 to 86,400 whole seconds.
         *
         * @return this builder
         */
        public Builder execTimeout(Duration execTimeout) {
            return set(ConfigSchema.EXEC_TIMEOUT, seconds(execTimeout));
        }

        /**
         * Checks everything and returns the config. The builder can be used again.
         *
         * @throws RefusedException with {@link RefusedException.Code#SCHEMA_INVALID} and all problems, in the order of
         *         the keys in the documentation of {@link RuntimeConfigLoader}
         */
        public RuntimeConfig build() {
            List<JsonValue.Member> ordered = new ArrayList<>();
            for (String key : ConfigSchema.KEYS) {
                if (members.containsKey(key)) {
                    ordered.add(new JsonValue.Member(key, JsonSource.NO_OFFSET, members.get(key)));
                }
            }
            JsonValue root = JsonValue.object(ordered, JsonSource.NO_OFFSET);
            return ConfigSchema.check(root, JsonSource.NOWHERE, "builder", egress);
        }

        private Builder set(String key, JsonValue value) {
            members.put(key, value);
            return this;
        }

        private static JsonValue strings(List<String> texts) {
            return JsonValue.array(List.copyOf(texts).stream().map(Builder::string).toList(), JsonSource.NO_OFFSET);
        }

        private static JsonValue string(String text) {
            return JsonValue.scalar(JsonValue.Kind.STRING, Objects.requireNonNull(text), JsonSource.NO_OFFSET);
        }

        private static JsonValue path(Path path) {
            if (path.getFileSystem() != FileSystems.getDefault()) {
                throw new IllegalArgumentException("a path of the default file system is needed");
            }
            return string(path.toString());
        }

        private static JsonValue seconds(Duration duration) {
            // A part of a second is out of range like too many of them; the file cannot even write it.
            String seconds = duration.getNano() == 0 ? Long.toString(duration.getSeconds()) : "0";
            return JsonValue.scalar(JsonValue.Kind.NUMBER, seconds, JsonSource.NO_OFFSET);
        }
    }
}
