// SPDX-License-Identifier: Apache-2.0
package example;

import io.github.openshellruntime.OpenShellArgv;
import io.github.openshellruntime.OpenShellRunOptions;
import io.github.openshellruntime.OpenShellRunner;
import io.github.openshellruntime.RealmPage;
import io.github.openshellruntime.RuntimeConfig;
import io.github.openshellruntime.SessionId;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/** Deletes the realms of this dispatcher whose sessions are over: those that an earlier life of it left behind. */
final class Reaper {

    private Reaper() {
    }

    /** All realms of the config's owner, page by page. An answer that cannot be relied on is an error and no empty list. */
    static Set<SessionId> realms(OpenShellRunner runner, RuntimeConfig config) throws InterruptedException {
        OpenShellRunOptions call = OpenShellRunOptions.capturing(config.execTimeout());
        Set<SessionId> realms = new LinkedHashSet<>();
        Set<String> seen = new HashSet<>();
        Optional<String> token = Optional.empty();
        do {
            OpenShellArgv list = token.isEmpty() ? OpenShellArgv.list(config) : OpenShellArgv.list(config, token.get());
            RealmPage page = RealmPage.of(runner.run(list, call));
            realms.addAll(page.sessions());
            token = page.nextPageToken();
            if (token.isPresent() && !seen.add(token.get())) {
                throw new IllegalStateException("the gateway gives the same page again");
            }
        } while (token.isPresent());
        return realms;
    }

    /** Deletes every realm that is not of a session in {@code alive}, and returns those. */
    static Set<SessionId> reap(OpenShellRunner runner, RuntimeConfig config, Set<SessionId> alive) throws InterruptedException {
        Set<SessionId> over = new LinkedHashSet<>(realms(runner, config));
        over.removeAll(alive);
        for (SessionId session : over) {
            runner.run(OpenShellArgv.delete(session), OpenShellRunOptions.capturing(config.execTimeout()));
        }
        return over;
    }
}
