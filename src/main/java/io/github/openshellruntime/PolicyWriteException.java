// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Thrown when a policy cannot be written, removed or swept: the message names the step that failed, the path and the
 * remedy; the cause, where the system gave one, is the {@link IOException} of that step. Leftovers that could not be
 * cleaned up are named by suppressed exceptions. Java serialization keeps everything.
 */
public final class PolicyWriteException extends IOException {

    private static final long serialVersionUID = 1L;

    private final String pathText;
    private final transient Path path;
    private final boolean committed;

    PolicyWriteException(String message, Path path, boolean committed, Throwable cause) {
        super(message + " (" + Text.escaped(path.toString()) + ")", cause);
        this.path = path;
        this.pathText = path.toString();
        this.committed = committed;
    }

    /** A refusal or a failure before anything was exchanged. */
    static PolicyWriteException untouched(String message, Path path, Throwable cause) {
        return new PolicyWriteException(message, path, false, cause);
    }

    /**
     * Returns whether the new policy already stands at {@link #path()}. False: what stood there before is untouched. True:
     * the new policy is in place, but whether it survives a power loss is not known; do not create the sandbox.
     */
    public boolean committed() {
        return committed;
    }

    /** Returns the absolute path of the policy, or of the directory for {@link PolicyDocuments#sweep}. */
    public Path path() {
        return path == null ? Path.of(pathText) : path;
    }
}
