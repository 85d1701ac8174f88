// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.openshellruntime.RealmException.Reason;
import io.github.openshellruntime.RealmException.Step;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("RealmException and ReapReport")
class RealmValuesTest {

    private static final SessionId A = SessionId.of("a");
    private static final OpenShellRunOutcome CREATED = OpenShellRunOutcome.captured(1, Duration.ofSeconds(2),
            CapturedOutput.ofText("s3cret"), CapturedOutput.ofText("s3cret"));
    private static final OpenShellRunnerError ERROR =
            OpenShellRunnerError.timedOut(Duration.ofSeconds(3), CapturedOutput.ofText("s3cret"), CapturedOutput.EMPTY);

    private static RealmException exception(Step step, Reason reason, Throwable cause) {
        return new RealmException(A, step, reason, false, Optional.of(SandboxPhase.ERROR), Optional.of(CREATED), cause);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("RT-03 the message says session, step, reason, phase and what to do, in ASCII and without output")
    void message_tells(Reason reason) {
        RealmException left = exception(Step.CREATE, reason, ERROR)
                .cleanedUp(Optional.empty(), true);
        assertThat(left.getMessage()).startsWith("realm-a: " + reason + " at CREATE: ").contains("ERROR", "left behind",
                "reap")
                .matches("[ -~]+").doesNotContain("s3cret");
        assertThat(exception(Step.WAIT, reason, null)).hasMessageNotContaining("left behind").hasNoCause();
    }

    @Test
    @DisplayName("the clean-up adds the phase that it saw and whether something is left; the reason stays the first")
    void cleanUp_adds() {
        RealmException first = exception(Step.CREATE, Reason.CREATE_FAILED, ERROR);
        RealmException clean = first.cleanedUp(Optional.of(SandboxPhase.READY), false);
        assertThat(clean.phase()).contains(SandboxPhase.READY);
        assertThat(clean.leftBehind()).isFalse();
        assertThat(clean.created()).contains(CREATED);
        assertThat(clean).hasCause(ERROR).hasNoSuppressedExceptions();

        RealmException left = first.cleanedUp(Optional.empty(), true);
        assertThat(left.phase()).contains(SandboxPhase.ERROR);
        assertThat(left.leftBehind()).isTrue();
        assertThat(List.of(left.step(), left.reason())).isEqualTo(List.of(Step.CREATE, Reason.CREATE_FAILED));
    }

    private static RealmException serialized(RealmException exception) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(exception);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (RealmException) in.readObject();
        }
    }

    @Test
    @DisplayName("after Java serialization session, step, reason, message and causes are kept, and the Optionals are empty")
    void exception_isSerializable() throws Exception {
        RealmException written = exception(Step.PROVE, Reason.NOT_READY, ERROR)
                .cleanedUp(Optional.empty(), true);
        written.addSuppressed(exception(Step.CLOSE, Reason.CALL_FAILED, ERROR));

        RealmException read = serialized(written);

        assertThat(read.session()).isEqualTo(A);
        assertThat(read.step()).isSameAs(Step.PROVE);
        assertThat(read.reason()).isSameAs(Reason.NOT_READY);
        assertThat(read.leftBehind()).isTrue();
        assertThat(read).hasMessage(written.getMessage());
        assertThat(read.phase()).isEmpty();
        assertThat(read.created()).isEmpty();
        assertThat(read.getCause()).isInstanceOfSatisfying(OpenShellRunnerError.class,
                cause -> assertThat(cause.reason()).isSameAs(OpenShellRunnerError.Reason.DEADLINE));
        assertThat(read.getSuppressed()).singleElement().isInstanceOfSatisfying(RealmException.class,
                cleanUp -> assertThat(cleanUp.reason()).isSameAs(Reason.CALL_FAILED));
        assertThat(serialized(exception(Step.LOOK, Reason.ALREADY_THERE, null)).leftBehind()).isFalse();
    }

    @Test
    @DisplayName("with the failure of a policy write, too")
    void exception_withWriteFailure_isSerializable() throws Exception {
        PolicyWriteException cause = new PolicyWriteException("no disk", Path.of("/policies/realm-a.policy.json"), true,
                null);
        RealmException read = serialized(exception(Step.POLICY, Reason.POLICY_NOT_WRITTEN, cause));
        assertThat(read.getCause()).isInstanceOfSatisfying(PolicyWriteException.class,
                kept -> assertThat(kept.committed()).isTrue());
    }

    @Test
    @DisplayName("the steps and reasons are those of the contract, and print their names")
    void enums_arePrinted() {
        assertThat(Step.values()).extracting(Step::toString).containsExactly("LOOK", "POLICY", "CREATE", "WAIT", "PROVE",
                "CLOSE");
        assertThat(Arrays.stream(Reason.values()).map(Reason::toString)).containsExactlyInAnyOrder("ALREADY_THERE",
                "NOT_OURS",
                "CREATE_FAILED", "NOT_READY", "POLICY_DIFFERENT", "POLICY_NOT_WRITTEN", "POLICY_NOT_REMOVED", "CALL_FAILED",
                "STILL_THERE");
    }

    @Test
    @DisplayName("the lists of a report are unmodifiable copies, and it prints its counts")
    void report_isAValue() {
        List<SessionId> kept = new ArrayList<>(List.of(A));
        ReapReport report = new ReapReport(kept, List.of(SessionId.of("b"), SessionId.of("c")),
                List.of(exception(Step.CLOSE, Reason.STILL_THERE, null)), List.of(Path.of("/x")), true, Optional.empty());
        kept.clear();
        assertThat(report.kept()).containsExactly(A);
        for (List<?> list : List.of(report.kept(), report.closed(), report.failed(), report.policiesRemoved())) {
            assertThatThrownBy(list::clear).isInstanceOf(UnsupportedOperationException.class);
        }
        assertThat(report).hasToString(
                "ReapReport[kept=1, closed=2, failed=1, policiesRemoved=1, complete=true]");
        assertThat(new ReapReport(List.of(), List.of(), List.of(), List.of(), false, Optional.of(
                new PolicyWriteException("no disk", Path.of("/x"), false, null)))).hasToString(
                "ReapReport[kept=0, closed=0, failed=0, policiesRemoved=0, complete=false, directory unread]");
    }
}
