// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.Objects;

/**
 * Something in a config that is allowed but probably not meant; from {@link RuntimeConfig#advisories()}. Immutable and
 * thread-safe; equal when everything in it is. What was seen was seen on gateways 0.0.111 and 0.0.112-dev with Docker.
 */
public final class Advisory {

    /** What is probably not meant. {@code toString()} is {@code name()}; constants may be added, never renamed. */
    public enum Code {
        /**
         * The workload is under {@code /bin}, {@code /sbin}, {@code /lib}, {@code /lib32}, {@code /lib64} or {@code /libx32}
         * while egress is open. On images with a merged {@code /usr} those are links, OpenShell sees {@code /usr/bin}, and
         * everything is denied while the sandbox is ready (seen with {@code /bin}).
         */
        WORKLOAD_UNDER_LINKED_DIRECTORY,
        /** The workload is a shell: what it starts inherits its egress (seen), and what it becomes by exec loses it. */
        WORKLOAD_IS_A_SHELL,
        /** The workload is {@code env}, {@code nice} or the like, which becomes another program: no rule matches (seen). */
        WORKLOAD_IS_A_WRAPPER,
        /** The workload is a script: OpenShell sees its interpreter, so no rule matches (seen). */
        WORKLOAD_IS_A_SCRIPT,
        /** The workload is under {@code /workspace} or {@code /tmp}: it can be replaced before OpenShell looks at it. */
        WORKLOAD_IS_WRITABLE,
        /** The workload is a Java program with egress: its trust store does not know the CA of the sandbox. */
        WORKLOAD_IS_A_JVM,
        /** An entry is a wildcard: the labels of DNS queries below it are a way out. */
        EGRESS_WILDCARD,
        /** An entry has port 22, 25 or 3306, where the server speaks first: OpenShell waits for the client, both stall. */
        EGRESS_SERVER_SPEAKS_FIRST,
        /** The image has no digest: what runs can change under the same name. */
        IMAGE_WITHOUT_DIGEST,
        /** There is no owner: every managed realm of the gateway counts as this dispatcher's, and these as another's. */
        NO_OWNER
    }

    private final Code code;
    private final String pointer;
    private final String message;

    Advisory(Code code, String pointer, String message) {
        this.code = code;
        this.pointer = pointer;
        this.message = message;
    }

    /** Returns what is probably not meant. */
    public Code code() {
        return code;
    }

    /** Returns the RFC 6901 pointer to the value, or to where it is missing. */
    public String pointer() {
        return pointer;
    }

    /** Returns one sentence of why, in printable ASCII. */
    public String message() {
        return message;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Advisory that && code == that.code && pointer.equals(that.pointer)
                && message.equals(that.message);
    }

    @Override
    public int hashCode() {
        return Objects.hash(code, pointer, message);
    }

    /** Returns {@code pointer  CODE  message}. */
    @Override
    public String toString() {
        return pointer + "  " + code + "  " + message;
    }
}
