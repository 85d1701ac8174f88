// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.openshellruntime.MisbehavingGateway.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each call that an operation makes meets each fault, once and for ever. Afterwards what is left is what the exception
 * says is left, nothing of another owner was deleted, and one reap clears the rest.
 */
@DisplayName("Realms: faults at every call")
class RealmsFaultsTest {

    private static final SessionId A = SessionId.of("a");
    private static final Map<String, String> OURS = Map.of("managed-by", "openshell-runtime", "owner", "d-1");
    private static final Map<String, String> THEIRS = Map.of("managed-by", "openshell-runtime", "owner", "d-2");
    private static final RuntimeConfig CONFIG = RuntimeConfig.builder(List.of("/usr/bin/agent")).owner("d-1")
            .createTimeout(Duration.ofSeconds(100)).build();

    /** An operation, and the world that it begins in. */
    private enum Operation {
        OPEN("", true, 5) {
            @Override
            void run(Realms realms) throws InterruptedException {
                assertThat(realms.open(A).phase()).isEqualTo(SandboxPhase.READY);
            }
        },
        /** Its own failure makes open clear up, so the calls of that meet the faults, too. */
        OPEN_AND_FAIL("", true, 8) {
            @Override
            void run(Realms realms) throws InterruptedException {
                realms.open(A);
            }
        },
        CLOSE("realm-a", true, 4) {
            @Override
            void run(Realms realms) throws InterruptedException {
                realms.close(A);
            }
        },
        EXEC("realm-a", false, 1) {
            @Override
            void run(Realms realms) throws InterruptedException {
                realms.exec(A, List.of("/bin/x"));
            }
        },
        LIST("realm-a", false, 2) {
            @Override
            void run(Realms realms) throws InterruptedException {
                assertThat(realms.list()).contains(A);
            }
        },
        REAP("realm-a", false, 11) {
            @Override
            void run(Realms realms) throws InterruptedException {
                ReapReport report = realms.reap(session -> false);
                for (RealmException failure : report.failed()) {
                    throw failure;
                }
            }
        };

        private final String there;
        private final boolean clearsUp;
        /** The calls of a run without a fault, at least: a test whose faults nobody meets would pass. */
        private final int calls;

        Operation(String there, boolean clearsUp, int calls) {
            this.there = there;
            this.clearsUp = clearsUp;
            this.calls = calls;
        }

        abstract void run(Realms realms) throws InterruptedException;
    }

    /** A gateway with a realm of another owner, and a policy directory. */
    private final class World {

        private final MisbehavingGateway gateway = new MisbehavingGateway();
        private final Path directory;
        private int calls;

        World(Operation operation) throws IOException {
            directory = Files.createTempDirectory(home, "policies");
            gateway.looksUntilReady(2).looksUntilGone(1).pageSize(1).put("realm-x", "Ready", THEIRS);
            if (operation == Operation.OPEN_AND_FAIL) {
                gateway.newPhase("Error");
            }
            if (!operation.there.isEmpty()) {
                gateway.put("realm-a", "Ready", OURS).put("realm-b", "Ready", OURS);
                Files.writeString(directory.resolve("realm-a.policy.json"), "a policy");
            }
        }

        /** Realms whose calls with these numbers meet a fault. */
        Realms realms(IntPredicate when, Fault fault) {
            return Realms.of(gateway.runner(CONFIG, "a life", (argv, options) -> when.test(calls++) ? fault
                    : Fault.NONE), CONFIG,
                    directory, SandboxProfile.standard(), gateway.clock);
        }

        boolean isLeft() {
            return gateway.names().contains("realm-a") || hasFile();
        }

        boolean hasFile() {
            return Files.exists(directory.resolve("realm-a.policy.json"));
        }
    }

    @TempDir
    private Path home;

    private static int callsWithoutFault(World world, Operation operation) {
        try {
            operation.run(world.realms(call -> false, Fault.NONE));
        } catch (InterruptedException | RealmException e) {
            // OPEN_AND_FAIL
        }
        return world.calls;
    }

    static Stream<Operation> operations() {
        return Stream.of(Operation.values());
    }

    @ParameterizedTest
    @MethodSource("operations")
    @DisplayName("RT-03 after each fault at each call, what is left is what the exception says is left, and one reap"
            + " clears it")
    void everyCall_everyFault(Operation operation) throws Exception {
        int count = callsWithoutFault(new World(operation), operation);
        assertThat(count).isGreaterThanOrEqualTo(operation.calls);
        for (Fault fault : Fault.values()) {
            for (int at = 0; at < count; at++) {
                int call = at;
                judge(operation, fault, true, number -> number == call, operation + " with " + fault + " at call " + at);
                judge(operation, fault, false, number -> number >= call, operation + " with " + fault + " from call "
                        + at + " on");
            }
        }
    }

    private void judge(Operation operation, Fault fault, boolean once, IntPredicate when, String what) throws Exception {
        World world = new World(operation);
        Exception thrown = null;
        try {
            operation.run(world.realms(when, fault));
        } catch (InterruptedException | RealmException | OpenShellRunnerError e) {
            thrown = e;
        }
        // An interrupt that a runner leaves in the flag may be for the caller; any other has been thrown, and is over.
        assertThat(Thread.interrupted() && fault != Fault.INTERRUPTED_AFTER).as(what).isFalse();
        if (once && thrown != null && !fault.isLate()) {
            // Nothing disturbed the clean-up, so it has ended what it could see, or had it accepted.
            assertThat(operation.clearsUp && world.gateway.isThereAndNotDeleted("realm-a")).as(what).isFalse();
            assertThat(thrown instanceof RealmException failure && failure.leftBehind()).as(what).isFalse();
        }
        switch (operation) {
            case OPEN, OPEN_AND_FAIL -> judgeOpen(world, thrown, what);
            case CLOSE -> judgeClose(world, thrown, what);
            case REAP -> judgeReap(world, thrown, what);
            default -> assertThat(world.gateway.names()).as(what).containsExactly("realm-a", "realm-b", "realm-x");
        }

        ReapReport report = world.realms(call -> false, Fault.NONE).reap(session -> false);

        assertThat(report.complete() && report.failed().isEmpty() && report.directory().isEmpty()).as(what).isTrue();
        assertThat(world.gateway.names()).as(what).containsExactly("realm-x");
        assertThat(world.directory).as(what).isEmptyDirectory();
        assertThat(world.gateway.violations()).as(what).isEmpty();
    }

    private static void judgeOpen(World world, Exception thrown, String what) {
        if (thrown == null) {
            assertThat(world.gateway.names()).as(what).contains("realm-a");
            assertThat(world.hasFile()).as(what).isTrue();
        } else if (thrown instanceof RealmException failure) {
            assertThat(failure.leftBehind() || !world.isLeft()).as(what).isTrue();
            assertThat(failure.leftBehind()).as(what).isEqualTo(failure.getSuppressed().length > 0);
        } else {
            assertThat(thrown).as(what).isInstanceOf(InterruptedException.class);
        }
        assertRealmHasItsFile(world, what);
    }

    private static void judgeClose(World world, Exception thrown, String what) {
        if (thrown == null) {
            assertThat(world.isLeft()).as(what).isFalse();
        } else if (thrown instanceof RealmException failure) {
            assertThat(failure.leftBehind()).as(what).isTrue();
        } else {
            assertThat(thrown).as(what).isInstanceOf(InterruptedException.class);
        }
        assertRealmHasItsFile(world, what);
        assertThat(world.gateway.names()).as(what).contains("realm-b");
    }

    private static void judgeReap(World world, Exception thrown, String what) {
        if (thrown == null) {
            assertThat(world.gateway.names()).as(what).containsExactly("realm-x");
        }
        assertRealmHasItsFile(world, what);
    }

    /** A realm that may still be there keeps its policy file, so that a reap finds both. */
    private static void assertRealmHasItsFile(World world, String what) {
        // What one delete of an interrupted thread was accepted for is on its way out.
        boolean stays = world.gateway.isThereAndNotDeleted("realm-a");
        assertThat(stays && !world.hasFile()).as(what).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("RT-03 a realm of another owner, under our session's very name, outlives every fault of close and reap")
    void anothersRealm(Fault fault) throws Exception {
        for (Operation operation : List.of(Operation.CLOSE, Operation.REAP, Operation.OPEN)) {
            for (int at = 0; at < 6; at++) {
                int call = at;
                World world = new World(operation);
                world.gateway.put("realm-a", "Ready", THEIRS);
                try {
                    operation.run(world.realms(number -> number == call, fault));
                } catch (InterruptedException | RealmException | OpenShellRunnerError e) {
                    // Judged by what is left.
                }
                Thread.interrupted();
                assertThat(world.gateway.names()).as(operation + " " + at).contains("realm-a", "realm-x");
                assertThat(world.gateway.violations()).as(operation + " " + at).isEmpty();
            }
        }
    }
}
