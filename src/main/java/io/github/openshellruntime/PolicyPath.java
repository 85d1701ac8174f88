// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.List;
import java.util.regex.Pattern;

/** Paths inside a sandbox, judged as text: {@code Path} would repair what must be refused. */
final class PolicyPath {

    private static final int MAX_BYTES = 4_095;

    /** What {@link #hasPlainForm} tests, in words for messages. */
    static final String PLAIN_FORM = "segments of printable ASCII without space, no //, no . or .. segment, no / at the end,"
            + " none of * ? [ ] { } \\ \"";

    /** Places where a path means something else in each process, or belongs to OpenShell itself. */
    private static final List<String> TAKEN =
            List.of("/proc", "/sys", "/dev", "/run", "/var/run", "/.openshell", "/opt/openshell");

    private static final String RULE = "must be a plain absolute path such as /usr/bin/agent: " + PLAIN_FORM + ", at most "
            + MAX_BYTES + " bytes, and not " + String.join(", ", TAKEN) + " nor below";

    // Printable ASCII but what OpenShell could read as a pattern.
    private static final Pattern CHARACTERS = Pattern.compile("[!-~&&[^*?\\[\\]{}\\\\\"]]+");

    private static final Pattern SHOWABLE = Pattern.compile("[A-Za-z0-9._/-]+");

    private PolicyPath() {
    }

    /** Whether a path can be the first element of a workload. */
    static boolean isPlain(String path) {
        return path.length() <= MAX_BYTES && hasPlainForm(path) && !isCovered(path, TAKEN);
    }

    static boolean hasPlainForm(String path) {
        return CHARACTERS.matcher(path).matches()
                && path.startsWith("/") && !path.endsWith("/") && !path.contains("//")
                && !Text.hasDotSegment(path);
    }

    /** Whether a plain path is one of the directories or below one. */
    static boolean isCovered(String path, List<String> directories) {
        return directories.stream().anyMatch(directory -> path.equals(directory) || path.startsWith(directory + "/"));
    }

    /** The rule for a workload, with the path where it has nothing in it that could be a secret or a trick. */
    static String refusal(String path) {
        return RULE + shown(path);
    }

    /** The path at the end of a message, where it may be shown. */
    static String shown(String path) {
        return SHOWABLE.matcher(path).matches() ? "; got " + Text.printable(path) : "";
    }
}
