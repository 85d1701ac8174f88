// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.time.Duration;

/** The time that realms wait by, so that a test need not wait. */
interface RealmClock {

    RealmClock SYSTEM = new RealmClock() {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public void sleep(Duration pause) throws InterruptedException {
            // Rounded up: a wait for the last microseconds must not become a spin.
            Thread.sleep(pause.plusNanos(999_999).toMillis());
        }
    };

    /** As {@link System#nanoTime()}. */
    long nanoTime();

    void sleep(Duration pause) throws InterruptedException;
}
