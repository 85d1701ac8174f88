// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The one digest of this package. */
final class TextDigest {

    private TextDigest() {
    }

    static byte[] of(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256");
        }
    }
}
