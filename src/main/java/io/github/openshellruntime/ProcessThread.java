// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** The thread of a run: the caller's, except a virtual one before JDK 24: there a wait for a process pins its carrier. */
final class ProcessThread {

    /** Java 17 has no name for it; {@code null} where no thread pins. */
    private static final MethodHandle IS_VIRTUAL = isVirtual(Runtime.version().feature());

    private ProcessThread() {
    }

    private static MethodHandle isVirtual(int feature) {
        try {
            return feature < 21 || feature >= 24 ? null : MethodHandles.publicLookup()
                    .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Java 21 and later have virtual threads");
        }
    }

    /** The run, on a thread that it may hold. An interrupt is passed on to the run, which answers it or leaves it set. */
    static EventRun.Run chosen(EventRun.Run run) {
        return pins() ? () -> onPlatformThread(run) : run;
    }

    private static boolean pins() {
        try {
            return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
        } catch (Throwable e) {
            throw new IllegalStateException("Thread.isVirtual throws nothing");
        }
    }

    private static OpenShellRunOutcome onPlatformThread(EventRun.Run run) throws InterruptedException {
        FutureTask<OpenShellRunOutcome> task = new FutureTask<>(run::call);
        Thread thread = new Thread(null, task, "openshell run", 0, false);
        thread.start();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    // Not join, which pins as well.
                    return task.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                    thread.interrupt();
                }
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof InterruptedException ended) {
                interrupted = false;
                throw ended;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) e.getCause();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
