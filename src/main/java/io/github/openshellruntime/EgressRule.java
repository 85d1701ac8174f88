// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.Comparator;

/**
 * One host and port that a workload may reach. It exists only as part of an {@link EgressAllowlist}, so whatever it
 * holds has passed the check. Immutable and thread-safe; equal when host and port are.
 */
public final class EgressRule {

    static final Comparator<EgressRule> ORDER = Comparator.comparing(EgressRule::host).thenComparingInt(EgressRule::port);

    private final String host;
    private final int port;

    EgressRule(String host, int port) {
        this.host = host;
        this.port = port;
    }

    /** Returns the host in lower case; a first label {@code *} stands for exactly one label. */
    public String host() {
        return host;
    }

    /** Returns the port, 1 to 65535. */
    public int port() {
        return port;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EgressRule that && port == that.port && host.equals(that.host);
    }

    @Override
    public int hashCode() {
        return 31 * host.hashCode() + port;
    }

    /** Returns {@code host:port}. */
    @Override
    public String toString() {
        return host + ":" + port;
    }
}
