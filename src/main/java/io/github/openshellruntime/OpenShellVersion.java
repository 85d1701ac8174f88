// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version of an {@code openshell} CLI. Immutable and thread-safe; ordered by its three numbers. */
public final class OpenShellVersion implements Comparable<OpenShellVersion> {

    /** The first that knows {@code --no-login-shell}. */
    static final OpenShellVersion OLDEST = new OpenShellVersion(0, 1, 0);

    private static final String NUMBER = "(0|[1-9][0-9]{0,8})";
    private static final Pattern LINE =
            Pattern.compile("openshell " + NUMBER + "\\." + NUMBER + "\\." + NUMBER + "(\r?\n)?");
    private static final Comparator<OpenShellVersion> ORDER = Comparator.comparingInt(OpenShellVersion::major)
            .thenComparingInt(OpenShellVersion::minor).thenComparingInt(OpenShellVersion::patch);

    private final int major;
    private final int minor;
    private final int patch;

    private OpenShellVersion(int major, int minor, int patch) {
        this.major = major;
        this.minor = minor;
        this.patch = patch;
    }

    /**
     * Reads what {@code openshell --version} prints: {@code openshell X.Y.Z}, a line end allowed, and nothing else; no
     * pre-release, no leading zero, at most nine digits a number.
     *
     * @throws IllegalArgumentException for any other text, which the message does not quote
     */
    public static OpenShellVersion parse(String line) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("a version line is \"openshell X.Y.Z\"");
        }
        return new OpenShellVersion(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)),
                Integer.parseInt(matcher.group(3)));
    }

    /** Returns the first number. */
    public int major() {
        return major;
    }

    /** Returns the second number. */
    public int minor() {
        return minor;
    }

    /** Returns the third number. */
    public int patch() {
        return patch;
    }

    @Override
    public int compareTo(OpenShellVersion other) {
        return ORDER.compare(this, other);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OpenShellVersion that && compareTo(that) == 0;
    }

    @Override
    public int hashCode() {
        return (major * 31 + minor) * 31 + patch;
    }

    /** Returns {@code X.Y.Z}. */
    @Override
    public String toString() {
        return major + "." + minor + "." + patch;
    }
}
