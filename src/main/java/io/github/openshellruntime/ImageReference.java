// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.Locale;
import java.util.regex.Pattern;

/** Which image references are handed to OpenShell, which looks for a file or builds one when it can read one so. */
final class ImageReference {

    static final String RULE = "must be an image reference with a path, a tag or a digest, such as"
            + " registry.example.com/team/agent:1 or agent@sha256:<64 hex>, of at most 1024 bytes, without an end in .tar,"
            + " .tar.gz or .tgz and without \"dockerfile\"";

    private static final int MAX_LENGTH = 1_024;

    private static final String COMPONENT = "[a-z0-9]++(?:[._-]++[a-z0-9]++)*+";
    private static final String NAME = COMPONENT + "(?:/" + COMPONENT + ")*+"
            + "(?::[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?"
            + "(?:@sha256:[0-9a-f]{64})?";
    private static final Pattern LOCAL = Pattern.compile(NAME);
    /** A first part with a port, with a dot, or {@code localhost} is a host, and takes more characters than a name. */
    private static final Pattern REMOTE = Pattern.compile(
            "(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?:[0-9]{1,5}"
            + "|[A-Za-z0-9][A-Za-z0-9-]*\\.(?:[A-Za-z0-9.-]*[A-Za-z0-9])"
            + "|localhost)/" + NAME);

    private ImageReference() {
    }

    static boolean isAccepted(String image) {
        boolean bareWord = image.indexOf('/') < 0 && image.indexOf(':') < 0 && image.indexOf('@') < 0;
        return image.length() <= MAX_LENGTH && !bareWord
                && (LOCAL.matcher(image).matches() || REMOTE.matcher(image).matches()) && !namesAFile(image);
    }

    private static boolean namesAFile(String image) {
        String lower = image.toLowerCase(Locale.ROOT);
        return lower.endsWith(".tar") || lower.endsWith(".tar.gz") || lower.endsWith(".tgz") || lower.contains("dockerfile");
    }
}
