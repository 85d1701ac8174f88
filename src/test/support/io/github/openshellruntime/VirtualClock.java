// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A clock that passes only by what is waited and what calls take, for each thread by itself. */
final class VirtualClock implements RealmClock {

    private static final class Time {
        private long nanos;
        private final List<Long> pauses = new ArrayList<>();
    }

    private final ThreadLocal<Time> time = ThreadLocal.withInitial(Time::new);
    private volatile Runnable atEachPause = () -> { };

    @Override
    public long nanoTime() {
        return time.get().nanos;
    }

    @Override
    public void sleep(Duration pause) throws InterruptedException {
        assertPositive(pause);
        atEachPause.run();
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted in a pause");
        }
        time.get().pauses.add(pause.toMillis());
        pass(pause);
    }

    private static void assertPositive(Duration pause) {
        if (pause.isNegative()) {
            throw new AssertionError("a pause of " + pause);
        }
    }

    /** What a call of this thread takes. */
    void pass(Duration duration) {
        time.get().nanos += duration.toNanos();
    }

    /** The pauses of this thread in milliseconds. */
    List<Long> pauses() {
        return time.get().pauses;
    }

    Duration sinceStart() {
        return Duration.ofNanos(time.get().nanos);
    }

    void atEachPause(Runnable action) {
        atEachPause = action;
    }
}
