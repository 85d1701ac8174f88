// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * A rendered policy: its bytes, and what it was rendered from. It comes from {@link PolicyDocuments#render} alone.
 * Immutable and thread-safe; equal when allowlist, workload binary and bytes are.
 */
public final class PolicyDocument {

    private final EgressAllowlist egressAllow;
    private final String workloadBinary;
    private final String json;

    PolicyDocument(EgressAllowlist egressAllow, String workloadBinary, String json) {
        this.egressAllow = egressAllow;
        this.workloadBinary = workloadBinary;
        this.json = json;
    }

    /** Returns the document as text: ASCII, a line feed at the end; the same as {@link #toBytes()}. */
    public String json() {
        return json;
    }

    /** Returns the document as bytes, a new array for each call. */
    public byte[] toBytes() {
        return json.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the SHA-256 of {@link #toBytes()}, 64 lower-case hex digits. */
    public String sha256() {
        return HexFormat.of().formatHex(TextDigest.of(toBytes()));
    }

    /** Returns the absolute path of the program that the allowlist is for. */
    public String workloadBinary() {
        return workloadBinary;
    }

    /** Returns the allowlist. */
    public EgressAllowlist egressAllow() {
        return egressAllow;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PolicyDocument that && json.equals(that.json) && egressAllow.equals(that.egressAllow)
                && workloadBinary.equals(that.workloadBinary);
    }

    @Override
    public int hashCode() {
        return json.hashCode();
    }

    /** Returns the workload's path, the number of rules and the digest. */
    @Override
    public String toString() {
        return "PolicyDocument[workloadBinary=" + workloadBinary + ", egressAllow=" + egressAllow.rules().size()
                + ", sha256=" + sha256() + "]";
    }
}
