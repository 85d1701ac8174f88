// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One page of the names that {@code list} gives. Immutable and thread-safe; equal when everything in it is.
 *
 * <p>A loop over pages has to end by itself when a gateway gives the same token twice; this class cannot see that.
 */
public final class RealmPage {

    private static final String NEXT_PAGE = "Next page token: ";

    private final List<SessionId> sessions;
    private final List<String> others;
    private final Optional<String> nextPageToken;

    private RealmPage(List<SessionId> sessions, List<String> others, Optional<String> nextPageToken) {
        this.sessions = List.copyOf(sessions);
        this.others = List.copyOf(others);
        this.nextPageToken = nextPageToken;
    }

    /**
     * Reads the answer to {@link OpenShellArgv#list}, run capturing: one name a line, and the line
     * {@code Next page token: ...} on standard error when there is more. Exit 0 with nothing is an empty page.
     *
     * @throws OpenShellRunnerError with {@code FAILED} and {@code UNREADABLE_ANSWER} for any other answer, which is never an
     *         empty page: truncated, cut short (a last line without its end), with an empty line or a control character, with
     *         a token that {@link OpenShellArgv#list(RuntimeConfig, String)} would not take or two of them, of a failed or of
     *         a discarding run
     */
    public static RealmPage of(OpenShellRunOutcome ofList) {
        Answer answer = new Answer(ofList);
        List<SessionId> sessions = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (String name : answer.lines()) {
            if (name.isEmpty() || name.chars().anyMatch(Character::isISOControl)) {
                throw answer.unreadable();
            }
            if (SessionId.isSandboxName(name)) {
                sessions.add(SessionId.fromSandboxName(name));
            } else {
                others.add(name);
            }
        }
        List<String> tokens = answer.errorLines().stream().filter(line -> line.startsWith(NEXT_PAGE))
                .map(line -> line.substring(NEXT_PAGE.length())).toList();
        if (tokens.size() > 1 || !tokens.stream().allMatch(OpenShellArgv::isPageToken)) {
            throw answer.unreadable();
        }
        return new RealmPage(sessions, others, tokens.stream().findFirst());
    }

    /** Returns the sessions whose realms are named on this page, in the order of the answer; unmodifiable. */
    public List<SessionId> sessions() {
        return sessions;
    }

    /** Returns the names on this page that are not those of realms of this library; unmodifiable. Leave them alone. */
    public List<String> others() {
        return others;
    }

    /** Returns what to pass to {@link OpenShellArgv#list(RuntimeConfig, String)} for the next page; empty on the last. */
    public Optional<String> nextPageToken() {
        return nextPageToken;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RealmPage that && sessions.equals(that.sessions) && others.equals(that.others)
                && nextPageToken.equals(that.nextPageToken);
    }

    @Override
    public int hashCode() {
        return sessions.hashCode();
    }

    /** Returns the sessions, and how much else there is. */
    @Override
    public String toString() {
        return "RealmPage[sessions=" + sessions + ", others=" + others.size() + ", more=" + nextPageToken.isPresent() + "]";
    }
}
