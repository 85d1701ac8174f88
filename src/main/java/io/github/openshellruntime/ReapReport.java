// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What {@link Realms#reap} found and did. Immutable and thread-safe; its lists are unmodifiable. */
public final class ReapReport {

    private final List<SessionId> kept;
    private final List<SessionId> closed;
    private final List<RealmException> failed;
    private final List<Path> policiesRemoved;
    private final boolean complete;
    private final Optional<PolicyWriteException> directory;

    ReapReport(List<SessionId> kept, List<SessionId> closed, List<RealmException> failed, List<Path> policiesRemoved,
            boolean complete, Optional<PolicyWriteException> directory) {
        this.kept = List.copyOf(kept);
        this.closed = List.copyOf(closed);
        this.failed = List.copyOf(failed);
        this.policiesRemoved = List.copyOf(policiesRemoved);
        this.complete = complete;
        this.directory = directory;
    }

    /** Returns the sessions whose realms were listed and are to be kept, in the order in which they were asked about. */
    public List<SessionId> kept() {
        return kept;
    }

    /** Returns the sessions whose realms were listed and are gone now, in the order in which they were closed. */
    public List<SessionId> closed() {
        return closed;
    }

    /**
     * Returns what failed, one exception for each session: a realm that could not be closed, a policy that was not removed.
     */
    public List<RealmException> failed() {
        return failed;
    }

    /**
     * Returns the files that were removed: policies of sessions without a realm, then what killed writers had left. Those of
     * closed realms are not among them.
     */
    public List<Path> policiesRemoved() {
        return policiesRemoved;
    }

    /**
     * Returns whether every list was read, to its last page. If false, there may be more realms to close, and only policy
     * files of closed realms were removed: reap again. {@link #failed()} and {@link #directory()} are reported separately.
     */
    public boolean complete() {
        return complete;
    }

    /** Returns why the policy directory could not be listed or swept; empty if it could, or was not tried. */
    public Optional<PolicyWriteException> directory() {
        return directory;
    }

    /** Returns the counts, and whether something could not be read. */
    @Override
    public String toString() {
        return "ReapReport[kept=" + kept.size() + ", closed=" + closed.size() + ", failed=" + failed.size()
                + ", policiesRemoved=" + policiesRemoved.size() + ", complete=" + complete
                + (directory.isPresent() ? ", directory unread" : "") + "]";
    }
}
