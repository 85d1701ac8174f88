// SPDX-License-Identifier: Apache-2.0
package example;

import io.github.openshellruntime.Realms;
import io.github.openshellruntime.SessionId;
import java.util.List;

/** The smallest dispatcher: each job gets a realm of its own, which is gone when the job is over. */
final class Dispatcher {

    private final Realms realms;

    Dispatcher(Realms realms) {
        this.realms = realms;
    }

    /** Runs a job, and returns the exit code of its command. */
    int run(String jobId, List<String> command) throws InterruptedException {
        SessionId session = SessionId.derive(jobId);
        realms.open(session);
        try {
            return realms.exec(session, command).exitCode();
        } finally {
            realms.close(session);
        }
    }
}
