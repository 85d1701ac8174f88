// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What a launch would do; nothing is written or started. {@link PolicyDocuments#write} and {@link OpenShellArgv#create} then
 * give exactly these bytes, unless somebody changes the links on the way to the directory. Immutable and thread-safe; equal
 * when everything in it is.
 */
public final class LaunchPlan {

    private final SessionId session;
    private final PolicyDocument document;
    private final Path policyPath;
    private final List<String> createArgv;
    private final Set<String> environmentNames;

    private LaunchPlan(RuntimeConfig config, SessionId session, PolicyDocument document, Path policyPath) {
        this.session = session;
        this.document = document;
        this.policyPath = policyPath;
        this.createArgv = OpenShellArgv.create(session, policyPath.toString(), config).asList();
        Map<String, String> everything =
                OpenShellEnvironment.TAKEN.stream().collect(Collectors.toMap(name -> name, name -> "/"));
        this.environmentNames = Collections.unmodifiableSet(
                new TreeSet<>(OpenShellEnvironment.of(config, everything).asMap().keySet()));
    }

    /**
     * Plans a launch for {@link SandboxProfile#standard()}. Blocks on the disk.
     *
     * @param directory for the policy, resolved as {@link PolicyDocuments#write} does; only looked at
     * @throws PolicyWriteException if it cannot be resolved; only the write checks its owner and mode
     * @throws IllegalArgumentException for a relative directory
     */
    public static LaunchPlan of(RuntimeConfig config, SessionId session, Path directory) throws PolicyWriteException {
        return of(config, session, directory, SandboxProfile.standard());
    }

    /**
     * Plans a launch. Blocks on the disk.
     *
     * @param directory for the policy, resolved as {@link PolicyDocuments#write} does; only looked at
     * @throws PolicyWriteException if it cannot be resolved; only the write checks its owner and mode
     * @throws IllegalArgumentException for a relative directory
     */
    public static LaunchPlan of(RuntimeConfig config, SessionId session, Path directory, SandboxProfile profile)
            throws PolicyWriteException {
        PolicyDocument document = PolicyDocuments.render(config.egressAllow(), config.workloadArgv().get(0), profile);
        return new LaunchPlan(config, session, document, PolicyDocuments.plannedPath(directory, session));
    }

    /** Returns the policy document. */
    public String policyJson() {
        return document.json();
    }

    /** Returns its SHA-256, 64 lower-case hex digits. */
    public String policySha256() {
        return document.sha256();
    }

    /** Returns the file that it would be written to, absolute. */
    public Path policyPath() {
        return policyPath;
    }

    /** Returns the argv that would create the realm, {@code openshell} first; unmodifiable. */
    public List<String> createArgv() {
        return createArgv;
    }

    /**
     * Returns every environment name that {@link OpenShellCli#verify(RuntimeConfig, Map, String...)} may set, sorted;
     * unmodifiable. {@code PATH}, {@code HOME} and {@code XDG_CONFIG_HOME} are always among them, but are set only if the host
     * has them. Names that the caller passes are not among them.
     */
    public Set<String> environmentNames() {
        return environmentNames;
    }

    /**
     * Returns all of it for an audit log: a JSON object of {@code session}, {@code policyPath}, {@code policySha256},
     * {@code policyJson} (as a string, so that the digest can be checked), {@code createArgv} and {@code environmentNames}.
     * ASCII, a line feed at the end. The argv holds the workload's arguments.
     */
    public String toJson() {
        Map<String, Object> plan = new LinkedHashMap<>();
        plan.put("session", session.value());
        plan.put("policyPath", policyPath.toString());
        plan.put("policySha256", policySha256());
        plan.put("policyJson", policyJson());
        plan.put("createArgv", createArgv);
        plan.put("environmentNames", environmentNames);
        return JsonWriter.write(plan);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LaunchPlan that && toJson().equals(that.toJson());
    }

    @Override
    public int hashCode() {
        return toJson().hashCode();
    }

    /** Returns the plan for a human, on six lines: no argument of the workload and no environment value. */
    @Override
    public String toString() {
        return "realm        " + session.sandboxName()
                + "\npolicy       " + Text.escaped(policyPath.toString())
                + "\nsha-256      " + policySha256()
                + "\nworkload     " + document.workloadBinary()
                + "\negress       " + (document.egressAllow().isEmpty() ? "none" : document.egressAllow())
                + "\nenvironment  " + String.join(" ", environmentNames);
    }
}
