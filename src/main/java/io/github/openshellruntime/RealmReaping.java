// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.RealmException.Reason;
import io.github.openshellruntime.RealmException.Step;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** One reap: closes the realms that are listed and not to be kept, then removes the policy files that belong to no realm. */
final class RealmReaping {

    private final RealmCalls calls;
    private final Path directory;
    private final Predicate<SessionId> keep;
    private final Set<SessionId> asked = new HashSet<>();
    private final List<SessionId> kept = new ArrayList<>();
    private final List<SessionId> closed = new ArrayList<>();
    private final List<RealmException> failed = new ArrayList<>();
    private final List<Path> policiesRemoved = new ArrayList<>();
    private Optional<PolicyWriteException> unread = Optional.empty();

    RealmReaping(RealmCalls calls, Path directory, Predicate<SessionId> keep) {
        this.calls = calls;
        this.directory = directory;
        this.keep = keep;
    }

    ReapReport reap() throws InterruptedException {
        Set<SessionId> listed = calls.list();
        boolean complete = true;
        // Again while something was closed: only then does a gateway without pages list the rest, and realms are made.
        while (complete && closeOthers(listed)) {
            try {
                listed = calls.list();
            } catch (OpenShellRunnerError e) {
                complete = false;
            }
        }
        if (complete) {
            clearDirectory();
        }
        return new ReapReport(kept, closed, failed, policiesRemoved, complete, unread);
    }

    /** Whether a newly listed session was to be closed. */
    private boolean closeOthers(Set<SessionId> listed) throws InterruptedException {
        boolean any = false;
        for (SessionId session : listed) {
            if (!asked.add(session)) {
                continue;
            }
            if (keep.test(session)) {
                kept.add(session);
            } else {
                any = true;
                close(session);
            }
        }
        return any;
    }

    private void close(SessionId session) throws InterruptedException {
        try {
            new RealmClosing(calls, directory, session).close();
            closed.add(session);
        } catch (RealmException e) {
            failed.add(e);
        }
    }

    private void clearDirectory() {
        try {
            for (SessionId session : PolicyDocuments.sessions(directory)) {
                // A session that was on a list is kept, failed to close, or has lost its file with its realm.
                if (asked.add(session) && !keep.test(session)) {
                    removePolicy(session);
                }
            }
            policiesRemoved.addAll(PolicyDocuments.sweep(directory));
        } catch (PolicyWriteException e) {
            unread = Optional.of(e);
        }
    }

    private void removePolicy(SessionId session) {
        try {
            Path file = PolicyDocuments.plannedPath(directory, session);
            if (PolicyDocuments.remove(directory, session)) {
                policiesRemoved.add(file);
            }
        } catch (PolicyWriteException e) {
            failed.add(new RealmException(session, Step.CLOSE, Reason.POLICY_NOT_REMOVED, true, Optional.empty(),
                    Optional.empty(), e));
        }
    }
}
