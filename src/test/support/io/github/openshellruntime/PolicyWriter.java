// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

/** Mains that write policies in a JVM of their own, so that it can be traced, killed, or run as somebody else. */
final class PolicyWriter {

    static final SessionId SESSION = SessionId.of("s-1");
    static final String FILE = "realm-s-1.policy.json";
    static final PolicyDocument OLD = document("old.example.com");
    static final PolicyDocument NEW = document("new.example.com");

    private PolicyWriter() {
    }

    static PolicyDocument document(String host) {
        return PolicyDocuments.render(
                RuntimeConfig.builder(List.of("/usr/bin/agent")).egressAllow(List.of(host)).build().egressAllow(),
                "/usr/bin/agent");
    }

    /** Writes and tells how it ended: {@code WRITTEN}, or {@code FAILED committed=... leftovers=... message}. */
    static String write(Path directory, PolicyDocument document) {
        try {
            PolicyDocuments.write(directory, SESSION, document);
            return "WRITTEN";
        } catch (PolicyWriteException e) {
            return "FAILED committed=" + e.committed() + " leftovers=" + e.getSuppressed().length + " " + e.getMessage();
        }
    }

    /** Writes the new policy once. */
    static final class Once {

        private Once() {
        }

        public static void main(String[] args) {
            System.out.println(write(Path.of(args[0]), NEW));
        }
    }

    /** Removes, sweeps and lists, and tells what each of them says. */
    static final class Others {

        private Others() {
        }

        public static void main(String[] args) {
            Path directory = Path.of(args[0]);
            say(() -> PolicyDocuments.remove(directory, SESSION));
            say(() -> PolicyDocuments.sweep(directory));
            say(() -> PolicyDocuments.sessions(directory));
        }

        private static void say(Callable<Object> call) {
            try {
                System.out.println(call.call());
            } catch (Exception e) {
                System.out.println(e.getMessage());
            }
        }
    }

    /**
     * Writes the old policy, tells its thread, and waits for a file; then writes the new policy: by then everything that
     * a first write loads is loaded, so a tracer of the thread sees the system calls of the second write alone.
     */
    static final class Twice {

        private Twice() {
        }

        public static void main(String[] args) throws Exception {
            Path directory = Path.of(args[0]);
            write(directory, OLD);
            // Failures load classes, too.
            write(directory.resolve("no/parent"), OLD);
            System.out.println("READY " + Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName());
            Path go = Path.of(args[1]);
            while (!Files.exists(go)) {
                Thread.sleep(5);
            }
            System.out.println(write(directory, NEW));
        }
    }

    /** Writes both policies in turns until it is killed. */
    static final class Forever {

        private Forever() {
        }

        public static void main(String[] args) {
            System.out.println("READY");
            while (true) {
                write(Path.of(args[0]), OLD);
                write(Path.of(args[0]), NEW);
            }
        }
    }

    /** Writes, and only then creates, with the stand-in that is given: what a dispatcher does. */
    static final class ThenCreate {

        private ThenCreate() {
        }

        public static void main(String[] args) throws Exception {
            RuntimeConfig config = RuntimeConfig.builder(List.of("/usr/bin/agent")).egressAllow(List.of("new.example.com"))
                    .build();
            OpenShellRunner runner = OpenShellRunner.of(
                    OpenShellCli.unverified(Path.of(args[2]), OpenShellEnvironment.select(System.getenv())));
            write(Path.of(args[0]), OLD);
            System.out.println("READY " + Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName());
            while (!Files.exists(Path.of(args[1]))) {
                Thread.sleep(5);
            }
            try {
                WrittenPolicy policy = PolicyDocuments.write(Path.of(args[0]), SESSION, NEW);
                runner.run(OpenShellArgv.create(policy, config), OpenShellRunOptions.discarding(config.createTimeout()));
                System.out.println("CREATED");
            } catch (PolicyWriteException e) {
                System.out.println("FAILED committed=" + e.committed());
            }
        }
    }
}
