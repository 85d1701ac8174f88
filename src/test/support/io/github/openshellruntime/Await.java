// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits for a condition instead of a time. */
final class Await {

    private Await() {
    }

    static void until(String what, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.call()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("waited 20 seconds for: " + what);
            }
            Thread.sleep(5);
        }
    }
}
