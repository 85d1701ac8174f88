// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.nio.file.Path;

/**
 * Proof that a policy was written for a session. It comes from {@link PolicyDocuments#write} alone and
 * {@link OpenShellArgv#create} demands one, so no sandbox is created before its policy is on the disk.
 *
 * <p>It proves that the file was written, not that it still stands there: write once for each session, and create at
 * once. Immutable and thread-safe; equal when session, path and document are.
 */
public final class WrittenPolicy {

    private final SessionId session;
    private final Path path;
    private final PolicyDocument document;

    WrittenPolicy(SessionId session, Path path, PolicyDocument document) {
        this.session = session;
        this.path = path;
        this.document = document;
    }

    /** Returns the session that the policy was written for. */
    public SessionId session() {
        return session;
    }

    /** Returns the file, absolute, its directory's links resolved. */
    public Path path() {
        return path;
    }

    /** Returns the SHA-256 of what was written, 64 lower-case hex digits. */
    public String sha256() {
        return document.sha256();
    }

    /** Returns the absolute path of the program that the allowlist is for. */
    public String workloadBinary() {
        return document.workloadBinary();
    }

    /** Returns the allowlist that was written. */
    public EgressAllowlist egressAllow() {
        return document.egressAllow();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof WrittenPolicy that && session.equals(that.session) && path.equals(that.path)
                && document.equals(that.document);
    }

    @Override
    public int hashCode() {
        return path.hashCode();
    }

    /** Returns the session, the path and the digest. */
    @Override
    public String toString() {
        return "WrittenPolicy[session=" + session + ", path=" + Text.escaped(path.toString()) + ", sha256=" + sha256() + "]";
    }
}
