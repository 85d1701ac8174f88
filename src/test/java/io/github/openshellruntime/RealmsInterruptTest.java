// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.openshellruntime.OpenShellArgv.Verb;
import io.github.openshellruntime.RealmException.Reason;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an interrupt of open, or of close, leaves. */
@DisplayName("Realms: interrupts")
class RealmsInterruptTest extends RealmsScript {

    private void openIsInterrupted() {
        assertThatThrownBy(() -> realms().open(A)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    @DisplayName("an interrupt at the first look, or before it, touches nothing")
    void open_interruptedAtLook() throws Exception {
        putFile(A);
        instead(Verb.GET, interrupted());
        openIsInterrupted();
        Thread.currentThread().interrupt();
        openIsInterrupted();
        assertThat(words()).containsExactly("get a");
        assertThat(files()).hasSize(1);
    }

    @Test
    @DisplayName("RT-07 an interrupt that comes during the write is an InterruptedException; the file alone is removed")
    void open_interruptedAtWrite() throws Exception {
        putFile(A);
        instead(Verb.GET, (argv, options) -> {
            OpenShellRunOutcome absent = asUsual().to(argv, options);
            Thread.currentThread().interrupt();
            return absent;
        });
        Throwable interrupt = catchThrowable(() -> realms().open(A));
        assertThat(interrupt).isInstanceOf(InterruptedException.class);
        assertThat(interrupt.getSuppressed()).singleElement().isInstanceOfSatisfying(RealmException.class,
                failure -> assertThat(failure.reason()).isEqualTo(Reason.POLICY_NOT_WRITTEN));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(words()).containsExactly("get a");
        assertThat(files()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"absent, 0, false, false", "ours, 0, true, false", "ours, 1, true, true", "ours, -1, true, true",
            "theirs, 0, false, true", "fails, 0, false, true"})
    @DisplayName("an interrupt gets one look and one delete; the file goes where it was ABSENT or the delete ended with 0")
    void open_interruptedAtCreate(String look, int delete, boolean deletes, boolean fileStays) throws Exception {
        instead(Verb.CREATE, (argv, options) -> {
            switch (look) {
                case "ours" -> asUsual().to(argv, options);
                case "theirs" -> gateway.put("realm-a", "Ready", THEIRS);
                default -> { }
            }
            throw new InterruptedException("killed");
        });
        instead(Verb.GET, asUsual(), look.equals("fails") ? fails() : asUsual());
        instead(Verb.DELETE, delete == 0 ? asUsual() : delete == 1 ? fails() : timesOut());

        openIsInterrupted();

        List<String> expected = new ArrayList<>(List.of("get a", "create a", "get a"));
        if (deletes) {
            expected.add("delete a");
        }
        assertThat(words()).isEqualTo(expected);
        assertThat(files()).hasSize(fileStays ? 1 : 0);
        assertThat(deadlines(Verb.GET)).containsExactly(Duration.ofSeconds(30), Duration.ofSeconds(10));
        if (fileStays) {
            // One reap clears what that could not.
            replies.clear();
            assertThat(realms().reap(session -> false).complete()).isTrue();
            assertThat(gateway.names()).isEqualTo(look.equals("theirs") ? List.of("realm-a") : List.of());
            assertThat(files()).isEmpty();
        }
    }

    @Test
    @DisplayName("look and delete of an interrupted thread have ten seconds together, a second at least")
    void open_interruptedDeadlines() throws Exception {
        instead(Verb.CREATE, (argv, options) -> {
            asUsual().to(argv, options);
            throw new InterruptedException("killed");
        });
        instead(Verb.GET, asUsual(), taking(Duration.ofSeconds(4), asUsual()));
        openIsInterrupted();
        assertThat(deadlines(Verb.DELETE)).containsExactly(Duration.ofMillis(5_900));

        calls.clear();
        instead(Verb.CREATE, (argv, options) -> {
            asUsual().to(argv, options);
            throw new InterruptedException("killed");
        });
        instead(Verb.GET, asUsual(), taking(Duration.ofMillis(9_800), asUsual()));
        openIsInterrupted();
        assertThat(deadlines(Verb.DELETE)).containsExactly(Duration.ofSeconds(1));
    }

    @Test
    @DisplayName("an interrupt at a look, in a pause, at the probe, with the flag alone, or during the clean-up ends"
            + " the same")
    void open_interruptedLater() throws Exception {
        Reply flags = (argv, options) -> {
            OpenShellRunOutcome outcome = asUsual().to(argv, options);
            Thread.currentThread().interrupt();
            return outcome;
        };
        for (Runnable when : List.<Runnable>of(() -> instead(Verb.GET, asUsual(), interrupted()),
                () -> instead(Verb.GET, asUsual(), flags), () -> instead(Verb.EXEC, interrupted()),
                () -> instead(Verb.CREATE, flags), () -> {
                    instead(Verb.GET, asUsual(), state("Provisioning", OURS));
                    gateway.clock.atEachPause(Thread.currentThread()::interrupt);
                }, () -> {
                    instead(Verb.EXEC, exit(1, ""), exit(1, ""));
                    instead(Verb.GET, asUsual(), asUsual(), interrupted());
                }, () -> {
                    instead(Verb.EXEC, exit(1, ""), exit(1, ""));
                    instead(Verb.DELETE, interrupted());
                })) {
            calls.clear();
            gateway.clock.atEachPause(() -> { });
            when.run();

            openIsInterrupted();

            assertThat(words().subList(words().size() - 2, words().size())).containsExactly("get a", "delete a");
            assertThat(gateway.names()).isEmpty();
            assertThat(files()).isEmpty();
            replies.clear();
        }
    }

    @Test
    @DisplayName("a runner that throws and leaves the flag set, too, costs the clean-up nothing")
    void open_interruptedWithFlag() throws Exception {
        instead(Verb.CREATE, (argv, options) -> {
            asUsual().to(argv, options);
            Thread.currentThread().interrupt();
            throw new InterruptedException("and the flag");
        });
        openIsInterrupted();
        assertThat(words()).containsExactly("get a", "create a", "get a", "delete a");
        assertThat(gateway.names()).isEmpty();
    }

    @Test
    @DisplayName("a second interrupt ends the clean-up of the first")
    void open_interruptedTwice() throws Exception {
        instead(Verb.CREATE, interrupted());
        instead(Verb.GET, asUsual(), interrupted());
        openIsInterrupted();
        assertThat(words()).containsExactly("get a", "create a", "get a");
        assertThat(files()).hasSize(1);
    }

    @Test
    @DisplayName("an interrupt of a clean-up carries the failure before it, with the phase seen last, as left behind")
    void open_interruptCarriesTheFailure() throws Exception {
        gateway.looksUntilGone(Integer.MAX_VALUE);
        instead(Verb.CREATE, (argv, options) -> {
            asUsual().to(argv, options);
            return MisbehavingGateway.answer(1, "", "Error: cut off");
        });
        instead(Verb.DELETE, interrupted(), fails());
        Throwable interrupt = catchThrowable(() -> realms().open(A));
        assertThat(interrupt).isInstanceOf(InterruptedException.class);
        assertThat(files()).hasSize(1);
        assertThat(interrupt.getSuppressed()).hasAtLeastOneElementOfType(RealmException.class);
        RealmException failure = (RealmException) List.of(interrupt.getSuppressed()).stream()
                .filter(RealmException.class::isInstance).findFirst().orElseThrow();
        assertThat(failure.reason()).isEqualTo(Reason.CREATE_FAILED);
        assertThat(failure.phase()).contains(SandboxPhase.READY);
        assertThat(failure.leftBehind()).isTrue();
    }

    @Test
    @DisplayName("an interrupt after 'already exists' deletes nothing")
    void open_interruptedAfterAlreadyExists() throws Exception {
        instead(Verb.CREATE, (argv, options) -> {
            gateway.put("realm-a", "Ready", OURS);
            return MisbehavingGateway.answer(1, "", ALREADY_EXISTS);
        });
        instead(Verb.GET, asUsual(), interrupted());
        openIsInterrupted();
        assertThat(gateway.names()).containsExactly("realm-a");
        assertThat(files()).hasSize(1);
    }

    @Test
    @DisplayName("an interrupt, one that is set on entry too, gets one look and one delete: a finally does its work")
    void close_interrupted() throws Exception {
        for (Runnable when : List.<Runnable>of(Thread.currentThread()::interrupt, () -> instead(Verb.GET, interrupted()),
                () -> instead(Verb.DELETE, interrupted()), () -> {
                    instead(Verb.DELETE, exit(0, ""));
                    gateway.clock.atEachPause(Thread.currentThread()::interrupt);
                })) {
            calls.clear();
            replies.clear();
            gateway.put("realm-a", "Ready", OURS);
            putFile(A);
            gateway.clock.atEachPause(() -> { });
            when.run();

            assertThatThrownBy(() -> realms().close(A)).isInstanceOf(InterruptedException.class);

            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            assertThat(words().subList(words().size() - 2, words().size())).containsExactly("get a", "delete a");
            assertThat(deadlines(Verb.DELETE).get(deadlines(Verb.DELETE).size() - 1))
                    .isLessThanOrEqualTo(Duration.ofSeconds(10));
            assertThat(gateway.names()).isEmpty();
            assertThat(files()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"absent, false, 0", "theirs, false, 1", "fails, false, 1", "stuck, true, 1"})
    @DisplayName("RT-03 an interrupted close deletes what is ours alone, and removes the file where it is sure")
    void close_interruptedOnEntry(String look, boolean deletes, int files) throws Exception {
        putFile(A);
        switch (look) {
            case "theirs" -> gateway.put("realm-a", "Ready", THEIRS);
            case "fails" -> instead(Verb.GET, fails());
            case "stuck" -> {
                gateway.put("realm-a", "Ready", OURS);
                instead(Verb.DELETE, fails());
            }
            default -> { }
        }
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> realms().close(A)).isInstanceOf(InterruptedException.class);

        assertThat(words()).isEqualTo(deletes ? List.of("get a", "delete a") : List.of("get a"));
        assertThat(files()).hasSize(files);
    }

    @Test
    @DisplayName("RT-07 an interrupted close whose file cannot be removed says so in what it suppresses")
    void close_interruptedAndNotRemoved() throws Exception {
        Files.createDirectories(file(A));
        Thread.currentThread().interrupt();
        Throwable interrupt = catchThrowable(() -> realms().close(A));
        assertThat(interrupt).isInstanceOf(InterruptedException.class);
        assertThat(interrupt.getSuppressed()).singleElement().isInstanceOfSatisfying(RealmException.class,
                failure -> assertThat(failure.reason()).isEqualTo(Reason.POLICY_NOT_REMOVED));
    }
}
