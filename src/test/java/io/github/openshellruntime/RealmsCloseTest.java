// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.openshellruntime.OpenShellArgv.Verb;
import io.github.openshellruntime.RealmException.Reason;
import io.github.openshellruntime.RealmException.Step;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Each sentence of what close promises. */
@DisplayName("Realms: close")
class RealmsCloseTest extends RealmsScript {

    @Test
    @DisplayName("RT-03 close looks, deletes, looks again and removes the policy file, and may be called again")
    void close_closes() throws Exception {
        realms().open(A);
        calls.clear();

        realms().close(A);

        assertThat(words()).containsExactly("get a", "delete a", "get a");
        assertThat(calls.get(0).options()).isEqualTo(OpenShellRunOptions.capturing(Duration.ofSeconds(30)));
        assertThat(gateway.names()).isEmpty();
        assertThat(files()).isEmpty();
        calls.clear();
        realms().close(A);
        assertThat(words()).containsExactly("get a");
    }

    @Test
    @DisplayName("a realm that is absent is not deleted; its policy file is removed")
    void close_absent() throws Exception {
        putFile(A);
        putFile(B);
        realms().close(A);
        assertThat(words()).containsExactly("get a");
        assertThat(files()).containsExactly("realm-b.policy.json");
    }

    @Test
    @DisplayName("RT-03 a realm that is not ours is NOT_OURS, and nothing is touched")
    void close_notOurs() throws Exception {
        for (Map<String, String> labels : List.of(THEIRS, Map.<String, String>of(), Map.of("owner", "d-1"),
                Map.of("managed-by", "openshell-runtime"))) {
            calls.clear();
            gateway.put("realm-a", "Ready", labels);
            putFile(A);
            RealmException failure = closeFails();
            assertFailure(failure, Step.CLOSE, Reason.NOT_OURS, false);
            assertThat(failure.phase()).contains(SandboxPhase.READY);
            assertThat(words()).containsExactly("get a");
            assertThat(files()).hasSize(1);
        }
    }

    @Test
    @DisplayName("RT-03 without an owner every managed realm is ours")
    void close_withoutOwner() throws Exception {
        RuntimeConfig config = RuntimeConfig.builder(List.of("/usr/bin/agent")).build();
        gateway.put("realm-a", "Ready", THEIRS).put("realm-b", "Ready", Map.of("owner", "d-2"));
        realms(config).close(A);
        assertThat(gateway.names()).containsExactly("realm-b");
        assertThatThrownBy(() -> realms(config).close(B)).isInstanceOfSatisfying(RealmException.class,
                failure -> assertThat(failure.reason()).isEqualTo(Reason.NOT_OURS));
    }

    @Test
    @DisplayName("it looks again while the look fails, and never deletes without having looked")
    void close_looksAgain() throws Exception {
        gateway.put("realm-a", "Ready", OURS);
        instead(Verb.GET, fails(), timesOut(), (argv, options) -> MisbehavingGateway.answer(0, "garbage\n", ""));
        realms().close(A);
        assertThat(words()).containsExactly("get a", "get a", "get a", "get a", "delete a", "get a");
        assertThat(gateway.clock.pauses()).startsWith(100L, 200L, 400L);
        assertThat(gateway.names()).isEmpty();
    }

    @Test
    @DisplayName("whatever the delete ends with, the next look is believed")
    void close_deleteEndsAnyhow() throws Exception {
        for (Reply ending : List.of(exit(1, "Error:   × code: 'x', message: \"sandbox not found\"\n"), exit(2,
                "usage\n"), timesOut(),
                throwing(OpenShellRunnerError.failed(OpenShellRunnerError.Reason.OUTPUT_FAILED)))) {
            calls.clear();
            gateway.put("realm-a", "Ready", OURS);
            putFile(A);
            instead(Verb.DELETE, (argv, options) -> {
                gateway.remove("realm-a");
                return ending.to(argv, options);
            });
            realms().close(A);
            assertThat(words()).containsExactly("get a", "delete a", "get a");
            assertThat(files()).isEmpty();
        }
    }

    @Test
    @DisplayName("while it is there, each look is followed by another delete, but not while it is DELETING")
    void close_deletesAgain() throws Exception {
        gateway.put("realm-a", "Ready", OURS).looksUntilGone(2);
        instead(Verb.DELETE, exit(0, ""), exit(1, ""));
        realms().close(A);
        assertThat(words()).containsExactly("get a", "delete a", "get a", "delete a", "get a", "delete a", "get a",
                "get a", "get a");
        assertThat(gateway.clock.pauses()).containsExactly(100L, 200L, 400L, 800L, 1000L);
    }

    @Test
    @DisplayName("a realm that is DELETING at the first look is deleted all the same")
    void close_deletingAtFirst() throws Exception {
        gateway.put("realm-a", "Deleting", OURS);
        realms().close(A);
        assertThat(words()).containsExactly("get a", "delete a", "get a");
    }

    @Test
    @DisplayName("RT-03 where a later look shows another's realm, ours is gone: done, and the other's is not touched")
    void close_laterAnothers() throws Exception {
        gateway.put("realm-a", "Ready", OURS);
        putFile(A);
        instead(Verb.DELETE, (argv, options) -> {
            gateway.put("realm-a", "Ready", THEIRS);
            return MisbehavingGateway.answer(0, "", "");
        });
        instead(Verb.GET, asUsual(), fails());
        realms().close(A);
        assertThat(words()).containsExactly("get a", "delete a", "get a", "get a");
        assertThat(gateway.names()).containsExactly("realm-a");
        assertThat(files()).isEmpty();
    }

    @Test
    @DisplayName("a first look that is answered late and shows another's realm is NOT_OURS: nothing was deleted before it")
    void close_firstAnswerAnothers() throws Exception {
        gateway.put("realm-a", "Ready", THEIRS);
        putFile(A);
        instead(Verb.GET, fails(), fails());
        assertFailure(closeFails(), Step.CLOSE, Reason.NOT_OURS, false);
        assertThat(files()).hasSize(1);
    }

    @Test
    @DisplayName("after the create timeout, from the first look on, it is STILL_THERE; the policy file stands")
    void close_stillThere() throws Exception {
        gateway.put("realm-a", "Ready", OURS).looksUntilGone(Integer.MAX_VALUE);
        putFile(A);
        instead(Verb.GET, taking(Duration.ofMillis(150), asUsual()));
        RealmException failure = closeFails();
        assertFailure(failure, Step.CLOSE, Reason.STILL_THERE, true);
        assertThat(failure.phase()).contains(SandboxPhase.DELETING);
        assertThat(failure).hasNoCause();
        // The last pause is cut to what is left, and a look takes a tenth of a second.
        assertThat(gateway.clock.sinceStart()).isEqualTo(CREATE_TIMEOUT.plusMillis(100));
        assertThat(gateway.clock.pauses()).endsWith(1000L, 950L);
        assertThat(files()).hasSize(1);
        assertThat(words().stream().filter("delete a"::equals)).hasSize(1);
    }

    @Test
    @DisplayName("a delete that never works is tried to the end, and its error is the cause of STILL_THERE")
    void close_deleteNeverWorks() {
        gateway.put("realm-a", "Ready", OURS);
        insteadAlways(Verb.DELETE, taking(Duration.ofSeconds(10), throwing(timedOut())));
        RealmException failure = closeFails();
        assertFailure(failure, Step.CLOSE, Reason.STILL_THERE, true);
        assertThat(failure.getCause()).isInstanceOf(OpenShellRunnerError.class);
        assertThat(words().get(words().size() - 1)).isEqualTo("get a");
        assertThat(deadlines(Verb.DELETE)).allMatch(deadline -> deadline.compareTo(Duration.ofSeconds(1)) >= 0
                && deadline.compareTo(Duration.ofSeconds(30)) <= 0);
    }

    @Test
    @DisplayName("the error of an earlier delete is no cause where the last one ended by itself")
    void close_laterDeleteEnds() {
        gateway.put("realm-a", "Ready", OURS);
        instead(Verb.DELETE, throwing(timedOut()));
        insteadAlways(Verb.DELETE, exit(1, "no\n"));
        RealmException failure = closeFails();
        assertFailure(failure, Step.CLOSE, Reason.STILL_THERE, true);
        assertThat(failure).hasNoCause();
    }

    @Test
    @DisplayName("where the last look failed it is CALL_FAILED; the policy file stands")
    void close_callFailed() throws Exception {
        gateway.put("realm-a", "Ready", OURS).looksUntilGone(Integer.MAX_VALUE);
        putFile(A);
        instead(Verb.GET, asUsual(), asUsual());
        insteadAlways(Verb.GET, fails());
        RealmException failure = closeFails();
        assertFailure(failure, Step.CLOSE, Reason.CALL_FAILED, true);
        assertThat(failure.getCause()).isInstanceOf(OpenShellRunnerError.class);
        assertThat(failure.phase()).contains(SandboxPhase.DELETING);
        assertThat(files()).hasSize(1);
        assertThat(gateway.clock.sinceStart()).isBetween(CREATE_TIMEOUT, CREATE_TIMEOUT.plusSeconds(1));
    }

    @Test
    @DisplayName("a look that takes all the time is followed by a delete and a look all the same")
    void close_slowLook() throws Exception {
        gateway.put("realm-a", "Ready", OURS);
        instead(Verb.GET, taking(CREATE_TIMEOUT, asUsual()));
        realms().close(A);
        assertThat(words()).containsExactly("get a", "delete a", "get a");
        assertThat(deadlines(Verb.DELETE)).containsExactly(Duration.ofSeconds(1));
    }

    @Test
    @DisplayName("a file that cannot be removed is POLICY_NOT_REMOVED")
    void close_policyNotRemoved() throws Exception {
        gateway.put("realm-a", "Ready", OURS);
        Files.createDirectories(file(A));
        RealmException failure = closeFails();
        assertFailure(failure, Step.CLOSE, Reason.POLICY_NOT_REMOVED, true);
        assertThat(failure.getCause()).isInstanceOf(PolicyWriteException.class);
        assertThat(gateway.names()).isEmpty();
    }

    @Test
    @DisplayName("a refusal of the runner, and whatever else one throws, is passed on by close")
    void close_refusal() {
        gateway.put("realm-a", "Ready", OURS);
        for (RuntimeException thrown : List.of(Refusals.of(() -> OpenShellArgv.exec(A, List.of())),
                new IllegalStateException())) {
            instead(Verb.GET, throwing(thrown));
            assertThatThrownBy(() -> realms().close(A)).isSameAs(thrown);
            instead(Verb.DELETE, throwing(thrown));
            assertThatThrownBy(() -> realms().close(A)).isSameAs(thrown);
        }
    }
}
