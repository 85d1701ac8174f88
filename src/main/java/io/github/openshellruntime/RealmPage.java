// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * One page of the names that {@code list} gives. Immutable and thread-safe; equal when everything in it is.
 *
 * <p>A loop over pages must stop when a gateway gives the same token twice; this class cannot see that.
 */
public final class RealmPage {

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]*[a-z0-9])?");
    private static final String NEXT_PAGE = "Next page token: ";

    // Matches every form: a missed page hides realms.
    private static final Pattern PAGE_TOKEN = Pattern.compile("page[\\W_]{0,3}token", Pattern.CASE_INSENSITIVE);

    private final List<SessionId> sessions;
    private final List<String> others;
    private final Optional<String> nextPageToken;

    private RealmPage(List<SessionId> sessions, List<String> others, Optional<String> nextPageToken) {
        this.sessions = List.copyOf(sessions);
        this.others = List.copyOf(others);
        this.nextPageToken = nextPageToken;
    }

    /**
     * Reads the answer to {@link OpenShellArgv#list}, run capturing: on standard output one name
     * {@code [a-z0-9]([a-z0-9-]*[a-z0-9])?} a line, on standard error the line {@code Next page token: <token>} when there is
     * more. Exit 0 with nothing is an empty page. Other lines of standard error are ignored.
     *
     * @throws OpenShellRunnerError with {@code FAILED} and {@code UNREADABLE_ANSWER}, never an empty page, for an answer that
     *         was not captured, was truncated, is not UTF-8, or has no line end at the end of a stream that is not empty; for a
     *         line that is no name; and for a line that speaks of a page token in another form, a token that
     *         {@link OpenShellArgv#list(RuntimeConfig, String)} would not take, or two of them. With {@code CALL_FAILED} for
     *         any other exit code than 0
     */
    public static RealmPage of(OpenShellRunOutcome ofList) {
        CliAnswer answer = CliAnswer.of(ofList);
        List<SessionId> sessions = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (String name : answer.lines()) {
            if (!NAME.matcher(name).matches()) {
                throw answer.unreadable("standard output has an unexpected line: each has to be a name");
            }
            if (SessionId.isSandboxName(name)) {
                sessions.add(SessionId.fromSandboxName(name));
            } else {
                others.add(name);
            }
        }
        return new RealmPage(sessions, others, nextPageToken(answer));
    }

    private static Optional<String> nextPageToken(CliAnswer answer) {
        List<String> lines = answer.errorLines().stream().filter(line -> PAGE_TOKEN.matcher(line).find()).toList();
        if (lines.isEmpty()) {
            return Optional.empty();
        }
        String line = lines.get(0);
        if (lines.size() > 1 || !line.startsWith(NEXT_PAGE) || !OpenShellArgv.isPageToken(line.substring(NEXT_PAGE.length()))) {
            throw answer.unreadable("standard error has an unexpected line about a page token");
        }
        return Optional.of(line.substring(NEXT_PAGE.length()));
    }

    /** Returns the sessions whose realms are named on this page, in the order of the answer; unmodifiable. */
    public List<SessionId> sessions() {
        return sessions;
    }

    /** Returns the names on this page that are no realms of this library; unmodifiable. Leave them alone. */
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
