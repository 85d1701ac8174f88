// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.time.Duration;

/** One wait for a realm: how long it may take, how long each call in it, and the pauses between them. For one thread. */
final class RealmWait {

    /** For a call that is no part of a wait. */
    static final OpenShellRunOptions CALL = OpenShellRunOptions.capturing(Duration.ofSeconds(30));

    private static final Duration SHORTEST_CALL = Duration.ofSeconds(1);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final RealmClock clock;
    private final Duration whole;
    private final long start;
    private Duration pause = FIRST_PAUSE;

    /** @param whole from now on */
    RealmWait(RealmClock clock, Duration whole) {
        this.clock = clock;
        this.whole = whole;
        this.start = clock.nanoTime();
    }

    private Duration left() {
        return whole.minusNanos(clock.nanoTime() - start);
    }

    boolean isOver() {
        return left().compareTo(Duration.ZERO) <= 0;
    }

    /** For the next call: 30 seconds, or what is left, but at least a second: the last call needs a chance. */
    OpenShellRunOptions call() {
        Duration deadline = shorter(CALL.deadline(), left());
        return OpenShellRunOptions.capturing(deadline.compareTo(SHORTEST_CALL) < 0 ? SHORTEST_CALL : deadline);
    }

    /** Pauses 100 ms, then twice as long each time up to a second; never longer than what is left. */
    void pause() throws InterruptedException {
        Duration left = left();
        if (!left.isNegative()) {
            clock.sleep(shorter(pause, left));
        }
        pause = shorter(pause.multipliedBy(2), LONGEST_PAUSE);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
