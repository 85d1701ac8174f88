// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.List;
import java.util.regex.Pattern;

/** What the first element of a workload must be, judged as text: {@code Path} would repair what must be refused. */
final class WorkloadPath {

    /** The rule in words, for messages. */
    static final String RULE = "must be a plain absolute path such as /usr/bin/agent: segments of printable ASCII without"
            + " space, no //, no . or .. segment, no / at the end, none of * ? [ ] { } \\ \", at most 4095 bytes,"
            + " and not /proc, /sys, /dev, /run, /var/run, /.openshell or /opt/openshell";

    private static final int MAX_BYTES = 4_095;

    // Printable ASCII but what OpenShell could read as a pattern.
    private static final Pattern CHARACTERS = Pattern.compile("[!-~&&[^*?\\[\\]{}\\\\\"]]+");

    /** Places where a path means something else in each process, or belongs to OpenShell itself. */
    private static final List<String> TAKEN = List.of("/proc", "/sys", "/dev", "/run", "/var/run", "/.openshell", "/opt/openshell");

    private static final Pattern SHOWABLE = Pattern.compile("[A-Za-z0-9._/-]+");

    private WorkloadPath() {
    }

    static boolean isPlain(String path) {
        return path.length() <= MAX_BYTES
                && CHARACTERS.matcher(path).matches()
                && path.startsWith("/") && !path.endsWith("/") && !path.contains("//")
                && !Text.hasDotSegment(path)
                && !isTaken(path);
    }

    private static boolean isTaken(String path) {
        for (String taken : TAKEN) {
            if (path.startsWith(taken) && (path.length() == taken.length() || path.charAt(taken.length()) == '/')) {
                return true;
            }
        }
        return false;
    }

    /** The rule, with the path where it has nothing in it that could be a secret or a trick. */
    static String refusal(String path) {
        return SHOWABLE.matcher(path).matches() ? RULE + "; got " + Text.printable(path) : RULE;
    }
}
