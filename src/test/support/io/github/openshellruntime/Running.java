// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

/** A run of the hostile CLI on a thread of its own, which can be interrupted. */
final class Running {

    private final Thread thread;
    private volatile Object result;
    private volatile boolean flag;

    Running(OpenShellRunner runner, OpenShellRunOptions options, String... operations) {
        thread = new Thread(() -> {
            try {
                result = runner.run(HostileCli.argv(operations), options);
            } catch (InterruptedException | RuntimeException e) {
                result = e;
            }
            flag = Thread.currentThread().isInterrupted();
        });
        thread.start();
    }

    /** Interrupts the run and returns what came of it, an outcome or an exception. */
    Object interrupt() throws InterruptedException {
        thread.interrupt();
        thread.join(5_000);
        assertThat(thread.isAlive()).isFalse();
        return result;
    }

    /** Waits for the end of the run and returns what came of it. */
    Object await() throws InterruptedException {
        thread.join();
        return result;
    }

    /** Whether the interrupt was still set at the end of the run. */
    boolean flag() {
        return flag;
    }

    StackTraceElement[] stack() {
        return thread.getStackTrace();
    }
}
