// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.openshellruntime.OpenShellArgv.Verb;
import io.github.openshellruntime.RealmException.Reason;
import io.github.openshellruntime.RealmException.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Each sentence of what reap promises. */
@DisplayName("Realms: reap")
class RealmsReapTest extends RealmsScript {

    @Test
    @DisplayName("RT-03 reap closes what is listed and not kept, and leaves another owner's alone")
    void reap_reaps() throws Exception {
        for (SessionId session : List.of(A, B)) {
            gateway.put(session.sandboxName(), "Ready", OURS);
            putFile(session);
        }
        gateway.put("realm-x", "Ready", THEIRS).put("realm-y", "Ready", Map.of());

        ReapReport report = realms().reap(B::equals);

        assertThat(report.kept()).containsExactly(B);
        assertThat(report.closed()).containsExactly(A);
        assertThat(report.failed()).isEmpty();
        assertThat(report.policiesRemoved()).isEmpty();
        assertThat(report.complete()).isTrue();
        assertThat(report.directory()).isEmpty();
        assertThat(gateway.names()).containsExactly("realm-b", "realm-x", "realm-y");
        assertThat(files()).containsExactly("realm-b.policy.json");
        assertThat(words()).containsExactly("list", "get a", "delete a", "get a", "list");
    }

    @Test
    @DisplayName("where nothing is to be closed, one list is enough")
    void reap_nothing() throws Exception {
        gateway.put("realm-a", "Ready", OURS);
        ReapReport report = realms().reap(session -> true);
        assertThat(report.kept()).containsExactly(A);
        assertThat(report.complete()).isTrue();
        assertThat(words()).containsExactly("list");
        assertThat(directory).doesNotExist();
    }

    @Test
    @DisplayName("keep is asked once for each session, after the list that has it, so one that is registered before is safe")
    void reap_asksAfterTheList() throws Exception {
        Set<SessionId> registered = new HashSet<>();
        gateway.put("realm-a", "Ready", OURS);
        instead(Verb.LIST, (argv, options) -> {
            OpenShellRunOutcome listed = asUsual().to(argv, options);
            registered.add(B);
            gateway.put("realm-b", "Ready", OURS);
            return listed;
        });
        putFile(A);
        List<SessionId> asked = new ArrayList<>();

        ReapReport report = realms().reap(session -> {
            asked.add(session);
            return registered.contains(session);
        });

        assertThat(asked).containsExactly(A, B);
        assertThat(report.closed()).containsExactly(A);
        assertThat(report.kept()).containsExactly(B);
    }

    @Test
    @DisplayName("it lists again until a list brings no new session to close: pages that a gateway hides come after a while")
    void reap_listsAgain() throws Exception {
        for (int i = 0; i < 7; i++) {
            gateway.put("realm-s" + i, "Ready", OURS);
        }
        // No page tokens: two names a list, and nothing tells that there are more.
        insteadAlways(Verb.LIST, (argv, options) -> MisbehavingGateway.answer(0,
                String.join("", gateway.names().stream().limit(2).map(name -> name + "\n").toList()), ""));
        ReapReport report = realms().reap(session -> false);
        assertThat(report.closed()).hasSize(7);
        assertThat(words().stream().filter("list"::equals)).hasSize(5);
        assertThat(gateway.names()).isEmpty();
    }

    @Test
    @DisplayName("a realm that could not be closed is reported, not tried again, and keeps its file; the others are closed")
    void reap_goesOn() throws Exception {
        gateway.put("realm-a", "Ready", OURS).put("realm-b", "Ready", OURS);
        putFile(A);
        putFile(B);
        insteadAlways(Verb.GET, (argv, options) -> argv.session().orElseThrow().equals(A)
                ? MisbehavingGateway.TRANSPORT_ERROR
                : gateway.runner(CONFIG).run(argv, options));

        ReapReport report = realms().reap(session -> false);

        assertThat(report.closed()).containsExactly(B);
        assertThat(report.failed()).singleElement().satisfies(failure -> assertFailure(failure, Step.CLOSE,
                Reason.CALL_FAILED, true));
        assertThat(report.complete()).isTrue();
        assertThat(files()).containsExactly("realm-a.policy.json");
        assertThat(words().stream().filter("list"::equals)).hasSize(2);
    }

    @Test
    @DisplayName("RT-03 a listed realm that turns out to be another's fails with NOT_OURS and is not touched")
    void reap_notOurs() throws Exception {
        gateway.put("realm-a", "Ready", THEIRS);
        putFile(A);
        instead(Verb.LIST, page("realm-a\n", ""));
        ReapReport report = realms().reap(session -> false);
        assertThat(report.failed()).singleElement().satisfies(failure -> assertFailure(failure, Step.CLOSE,
                Reason.NOT_OURS, false));
        assertThat(gateway.names()).containsExactly("realm-a");
        assertThat(files()).hasSize(1);
    }

    @Test
    @DisplayName("policy files of sessions that have no realm and are not kept are removed, and leftovers of killed writers")
    void reap_removesPolicies() throws Exception {
        gateway.put("realm-a", "Ready", OURS);
        for (String id : List.of("a", "b", "c", "d")) {
            putFile(SessionId.of(id));
        }
        Path old = Files.writeString(directory.resolve("." + "0".repeat(32) + ".tmp"), "x");
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
        Files.writeString(directory.resolve("." + "1".repeat(32) + ".tmp"), "of a writer at work");
        Files.writeString(directory.resolve("notes.txt"), "not ours");
        List<String> asked = new ArrayList<>();

        ReapReport report = realms().reap(session -> {
            asked.add(session.value());
            return session.equals(SessionId.of("c"));
        });

        assertThat(report.policiesRemoved()).containsExactly(file(B), file(SessionId.of("d")), old);
        assertThat(report.closed()).containsExactly(A);
        assertThat(report.kept()).isEmpty();
        assertThat(asked).containsExactly("a", "b", "c", "d");
        assertThat(files()).containsExactly("." + "1".repeat(32) + ".tmp", "notes.txt", "realm-c.policy.json");
    }

    @Test
    @DisplayName("where a later list fails, no policy file is removed and the report is not complete")
    void reap_laterListFails() throws Exception {
        gateway.put("realm-a", "Ready", OURS);
        putFile(A);
        putFile(B);
        for (Reply failing : List.of(fails(), timesOut(), page("No sandboxes found.\n", ""))) {
            gateway.put("realm-a", "Ready", OURS);
            instead(Verb.LIST, asUsual(), failing);
            ReapReport report = realms().reap(session -> false);
            assertThat(report.closed()).containsExactly(A);
            assertThat(report.complete()).isFalse();
            assertThat(report.policiesRemoved()).isEmpty();
            assertThat(report.directory()).isEmpty();
            assertThat(files()).containsExactly("realm-b.policy.json");
        }
    }

    @Test
    @DisplayName("where nothing could be listed the error is thrown: a second page that fails is no list")
    void reap_nothingListed() throws Exception {
        putFile(B);
        gateway.put("realm-a", "Ready", OURS);
        for (List<Reply> pages : List.of(List.of(fails()), List.of(timesOut()), List.of(page("realm-a\n", "1"), fails()),
                List.of(page("realm-a\n", "1"), page("realm-b\n", "1")))) {
            instead(Verb.LIST, pages.toArray(Reply[]::new));
            assertThatThrownBy(() -> realms().reap(session -> false)).isInstanceOf(OpenShellRunnerError.class);
            assertThat(gateway.names()).containsExactly("realm-a");
            assertThat(files()).hasSize(1);
        }
    }

    @Test
    @DisplayName("a directory that cannot be listed is told, and is no failure of the lists")
    void reap_directoryFails() throws Exception {
        Files.writeString(directory, "a file");
        gateway.put("realm-a", "Ready", OURS);
        ReapReport unread = realms().reap(session -> true);
        assertThat(unread.directory()).isPresent();
        assertThat(unread.complete()).isTrue();
        assertThat(unread.kept()).containsExactly(A);
    }

    @Test
    @DisplayName("RT-07 a policy that cannot be removed fails for its session alone")
    void reap_policyNotRemoved() throws Exception {
        putFile(A);
        putFile(B);
        ReapReport report = realms().reap(session -> {
            if (session.equals(A)) {
                replaceByDirectory(file(A));
            }
            return false;
        });
        assertThat(report.failed()).singleElement()
                .satisfies(failure -> assertFailure(failure, Step.CLOSE, Reason.POLICY_NOT_REMOVED, true));
        assertThat(report.policiesRemoved()).containsExactly(file(B));
        assertThat(report.directory()).isEmpty();
        assertThat(report.complete()).isTrue();
    }

    private static void replaceByDirectory(Path file) {
        try {
            Files.delete(file);
            Files.createDirectory(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @DisplayName("an interrupt of reap is that of the close it is in")
    void reap_interrupted() throws Exception {
        gateway.put("realm-a", "Ready", OURS).put("realm-b", "Ready", OURS);
        instead(Verb.GET, interrupted());
        assertThatThrownBy(() -> realms().reap(session -> false)).isInstanceOf(InterruptedException.class);
        assertThat(words()).containsExactly("list", "get a", "get a", "delete a");
        assertThat(gateway.names()).containsExactly("realm-b");
    }

    @Test
    @DisplayName("what keep throws is passed on; the sessions before it are closed, the others are not touched")
    void reap_keepThrows() throws Exception {
        gateway.put("realm-a", "Ready", OURS).put("realm-b", "Ready", OURS);
        putFile(B);
        IllegalStateException bug = new IllegalStateException();
        assertThatThrownBy(() -> realms().reap(session -> {
            if (session.equals(B)) {
                throw bug;
            }
            return false;
        })).isSameAs(bug);
        assertThat(gateway.names()).containsExactly("realm-b");
        assertThat(files()).hasSize(1);
    }
}
