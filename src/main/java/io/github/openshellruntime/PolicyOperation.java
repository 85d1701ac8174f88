// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;

/**
 * The operation that the exceptions of its failures name.
 *
 * @param name in words that go before "failed"
 * @param path absolute: the policy, or the directory
 */
record PolicyOperation(String name, Path path) {

    static final String INTERRUPTED =
            "the thread was interrupted, and its flag stays set; clear the flag or use another thread";

    static PolicyOperation onPolicy(String name, Path directory, SessionId session) {
        return new PolicyOperation(name, requireAbsolute(directory).resolve(PolicyDirectory.fileName(session)));
    }

    static PolicyOperation onDirectory(String name, Path directory) {
        return new PolicyOperation(name, requireAbsolute(directory));
    }

    /** A relative path would mean another directory with another working directory. */
    private static Path requireAbsolute(Path directory) {
        if (!directory.isAbsolute()) {
            throw new IllegalArgumentException("the directory must be absolute; resolve it first: "
                    + Text.escaped(directory.toString()));
        }
        return directory;
    }

    /** A refusal or a failure before anything was exchanged: {@code why} says what is wrong and what to do. */
    PolicyWriteException failed(String why, Throwable cause) {
        String reason = cause instanceof ClosedByInterruptException ? INTERRUPTED : why;
        return PolicyWriteException.untouched(name + " failed: " + reason, path, cause);
    }
}
