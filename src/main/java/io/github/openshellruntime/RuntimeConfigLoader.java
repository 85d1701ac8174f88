// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * Loads the runtime config and refuses whatever could take a workload out of its sandbox. Immutable and thread-safe;
 * {@link #load} blocks only on the file, and no name is ever resolved.
 *
 * <h2>The config</h2>
 *
 * A config is one JSON object (RFC 8259) in UTF-8 without byte order mark, of at most 1 MiB:
 *
 * <pre>{@code
 * {
 *   "workloadArgv": ["/usr/bin/agent", "--serve"],
 *   "egressAllow": ["api.example.com", "*.example.org:8443"],
 *   "image": "registry.example.com/team/agent:1",
 *   "createTimeoutSeconds": 300
 * }
 * }</pre>
 *
 * Nothing is converted, and no wrong value falls back to a default; {@code null} is refused ({@link Problem.Rule#TYPE TYPE})
 * for every key. A value of the right type that its key does not take is a {@link Problem.Rule#VALUE VALUE}.
 *
 * <table>
 * <caption>The keys; {@code workloadArgv} is required</caption>
 * <thead><tr><th scope="col">key<th scope="col">type<th scope="col">rule<th scope="col">when missing</tr></thead>
 * <tbody>
 * <tr><th scope="row">{@code workloadArgv}<td>array of strings<td>the sandbox's main process: 1 to 256 elements, each of
 *   at most 32,768 bytes of UTF-8, 262,144 together; no NUL, no lone surrogate. Element 0 is an absolute path: segments
 *   of {@code !} to {@code ~}, no {@code //}, no {@code .} or {@code ..} segment, no {@code /} at the end, none of
 *   <code>* ? [ ] { } \ "</code>, at most 4,095 bytes, not {@code /proc}, {@code /sys}, {@code /dev},
 *   {@code /run}, {@code /var/run}, {@code /.openshell}, {@code /opt/openshell} nor below. OpenShell compares this path
 *   with the running program's real one<td>refused
 *   ({@link Problem.Rule#REQUIRED REQUIRED})</tr>
 * <tr><th scope="row">{@code egressAllow}<td>array of strings<td>the grammar of {@link EgressAllowlist}<td>no egress</tr>
 * <tr><th scope="row">{@code image}<td>string<td>{@code [host[:port]/]name[/name...][:tag]}, then nothing,
 *   {@code @sha256:} and 64 or {@code @sha512:} and 128 hex digits in lower case. A host is labels
 *   {@code [A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?} joined by single dots; it has a dot or a port or is {@code localhost},
 *   and what has a dot or a colon before the first {@code /} is always read as a host; a port is 1 to 65535 without leading zeros, a name
 *   <code>[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*</code>, a tag {@code [A-Za-z0-9_][A-Za-z0-9._-]{0,127}}. At least one of
 *   {@code /}, tag, digest; at most 1,024 bytes; no end in {@code .tar}, {@code .tar.gz}, {@code .tgz} and no
 *   "dockerfile" in any case, for which OpenShell would look for a file<td>the gateway's default image</tr>
 * <tr><th scope="row">{@code policyDir}, {@code openshellPath}<td>string<td>an absolute path: no NUL, no lone surrogate,
 *   no {@code //}, no {@code .} or {@code ..} segment, at most 4,095 bytes<td>left to the caller; the first
 *   {@code openshell} on the {@code PATH}</tr>
 * <tr><th scope="row">{@code gateway}<td>string<td>{@code [A-Za-z0-9][A-Za-z0-9._-]{0,252}}, since gateways are named
 *   after hosts<td>the active gateway</tr>
 * <tr><th scope="row">{@code workspace}<td>string<td>{@code [A-Za-z0-9][A-Za-z0-9._-]{0,62}}<td>the gateway's default
 *   workspace</tr>
 * <tr><th scope="row">{@code owner}<td>string<td>{@code [a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?}: a second label, which keeps
 *   two dispatchers on one gateway from reaping each other's realms<td>no label</tr>
 * <tr><th scope="row">{@code createTimeoutSeconds}, {@code execTimeoutSeconds}<td>integer<td>1 to 86,400; no fraction, no
 *   exponent (those are TYPE)<td>600, 120</tr>
 * </tbody>
 * </table>
 *
 * <h2>Keys that are refused</h2>
 *
 * {@code network}, {@code networkMode}, {@code hostNetwork}, {@code netns}, {@code driverConfig} and
 * {@code driverConfigJson} are denied ({@link Problem.Rule#DENIED_KEY DENIED_KEY}) in any case and with any underscores
 * and hyphens, at every depth, whatever their value. Every other key of the root that is not in the table is refused
 * ({@link Problem.Rule#UNKNOWN_KEY UNKNOWN_KEY}), with a suggestion where one is near. A repeated key of the root is refused
 * where it repeats ({@link Problem.Rule#DUPLICATE_KEY DUPLICATE_KEY}); the first value is the one checked.
 *
 * <h2>Limits of the reader</h2>
 *
 * Depth 8 with the root as 1; keys of 128 and strings of 131,072 UTF-16 units after decoding; numbers of 64 characters;
 * 20,000 tokens, where <code>{ } [ ]</code>, keys and scalars count ({@link Problem.Rule#LIMIT LIMIT}). These are this
 * library's own; those of {@code workloadArgv} are OpenShell's. With every version of Jackson the four hex digits of an
 * escape are ASCII and a key holds no half of a surrogate pair ({@link Problem.Rule#SYNTAX SYNTAX}). The work is linear in
 * the size of the document, whatever it holds.
 *
 * <h2>Reports</h2>
 *
 * Everything wrong is reported at once, with pointer, line and column. Only what makes the rest untrustworthy stands
 * alone: {@code FILE_NOT_FOUND}, {@code FILE_NOT_REGULAR}, {@code FILE_UNREADABLE}, {@code FILE_TOO_BIG},
 * {@code FILE_CHANGED}, {@code FILE_EMPTY}, {@code ENCODING}, then {@code SYNTAX}, {@code LIMIT} and {@code TRAILING} as
 * the text meets them, then {@code ROOT_TYPE}. The line of a {@code SYNTAX} is exact. Its column is that of the character at
 * fault; in a number or a key it may be that of a neighbour.
 *
 * <p>A message quotes two values whole and no others: element 0 of {@code workloadArgv}, where it has only
 * {@code A-Za-z0-9._/-}, and an entry of {@code egressAllow}, where it has only {@code A-Za-z0-9.*-} and a colon. A secret
 * that stands in one of these, say as a host name, is shown.
 */
public final class RuntimeConfigLoader {

    private static final RuntimeConfigLoader STANDARD = new RuntimeConfigLoader(new EgressGrammar(EgressZones.NONE));

    private final EgressGrammar egress;

    private RuntimeConfigLoader(EgressGrammar egress) {
        this.egress = egress;
    }

    /** Returns the loader that takes public names only. */
    public static RuntimeConfigLoader standard() {
        return STANDARD;
    }

    /**
     * Returns a loader that also takes names strictly below the given private zones, and wildcards over them, such as
     * {@code git.corp.example.internal} and {@code *.corp.example.internal} for {@code corp.example.internal}; a zone of one
     * label, such as {@code lan}, takes {@code git.lan} and no {@code *.lan}. Only the embedding program can decide this,
     * not a config file. {@link Problem.Rule#SPECIAL_USE SPECIAL_USE} and {@link Problem.Rule#NOT_PUBLIC_TLD NOT_PUBLIC_TLD}
     * are lifted for those names, and no other rule is. The zones of this loader are kept.
     *
     * <p>Never lifted, for a name or a wildcard that would match it:
     *
     * <ul>
     *   <li>{@code localhost} and below; {@code inference.local}, {@code policy.local};
     *   <li>{@code docker.internal}, {@code containers.internal}, {@code openshell.internal}, {@code ryno.internal} and
     *       below; a first label {@code host} with labels between it and {@code internal}; a first label {@code metadata}
     *       or {@code instance-data} under {@code internal}. A wildcard under {@code internal} counts as a match of these
     *       forms unless its base is itself one of the zones;
     *   <li>{@code kubernetes.default.svc} and {@code openshift.default.svc}, alone, below, or followed by any domain;
     *   <li>a first label that spells an IPv4 address with hyphens, with or without {@code ip-} in front, and a wildcard
     *       whose base has {@code pod} as its second label;
     *   <li>the metadata services of clouds.
     * </ul>
     *
     * @param zones lower-case hosts without wildcard or port: of several labels under a name that is not public, or a single
     *        label that is neither a top-level domain nor {@code localhost}
     * @throws IllegalArgumentException if one of them is anything else; a public name needs no zone
     */
    public RuntimeConfigLoader allowingPrivateZones(String... zones) {
        return new RuntimeConfigLoader(egress.allowing(zones));
    }

    /**
     * Loads a config file. Links are followed once (Kubernetes mounts a ConfigMap through them); the target must be a
     * regular file before it is opened, and the same, unchanged file after its last byte. This is best effort: a FIFO put
     * there in between could block the call.
     *
     * @param file of the default file system
     * @throws RefusedException with {@link RefusedException.Code#SCHEMA_INVALID}, for a file that cannot be read, too
     */
    public RuntimeConfig load(Path file) {
        return load(file, ConfigFile.BeforeOpen.NOTHING);
    }

    RuntimeConfig load(Path file, ConfigFile.BeforeOpen beforeOpen) {
        return parse(ConfigFile.read(file, beforeOpen), file.toString());
    }

    /**
     * Reads a config from memory, as {@link #load} does from a file.
     *
     * @param json the bytes of the document
     * @param sourceName what the report calls the document; shown escaped and cut at 64 characters
     * @throws RefusedException with {@link RefusedException.Code#SCHEMA_INVALID}
     */
    public RuntimeConfig parse(byte[] json, String sourceName) {
        Objects.requireNonNull(sourceName);
        String text = ConfigFile.decode(json, sourceName);
        JsonSource source = new JsonSource(text);
        JsonValue root;
        try {
            root = JsonReader.read(text, JsonReader.Limits.CONFIG);
        } catch (JsonReader.Unreadable e) {
            throw refused(sourceName, source.problem(e.rule, "", e.offset, e.getMessage(), e.hint));
        }
        if (root.kind() != JsonValue.Kind.OBJECT) {
            throw refused(sourceName, source.problem(Problem.Rule.ROOT_TYPE, "", root.offset(),
                    "must be one JSON object, is " + root.kind().words(), ""));
        }
        return ConfigSchema.check(root, source, sourceName, egress);
    }

    /**
     * Starts a config in code, under the rules and the private zones of this loader.
     *
     * @param workloadArgv the sandbox's command; copied, checked by {@link RuntimeConfig.Builder#build()}
     */
    public RuntimeConfig.Builder builder(List<String> workloadArgv) {
        return new RuntimeConfig.Builder(workloadArgv, egress);
    }

    private static RefusedException refused(String sourceName, Problem problem) {
        return RefusedException.of(RefusedException.Code.SCHEMA_INVALID, sourceName, problem);
    }
}
