// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The version of an {@code openshell} CLI, as Semantic Versioning 2.0 has it. Ordered by its precedence: a pre-release comes
 * before its release, and build metadata counts for nothing. Immutable and thread-safe; equal when the precedence is.
 */
public final class OpenShellVersion implements Comparable<OpenShellVersion> {

    /** The first that knows {@code --no-login-shell}. */
    static final OpenShellVersion OLDEST = new OpenShellVersion(0, 1, 0, "");

    private static final String NUMBER = "(0|[1-9][0-9]{0,8})";
    private static final String IDENTIFIER = "(?:[0-9]*+[A-Za-z-][0-9A-Za-z-]*+|0|[1-9][0-9]*+)";
    private static final String BUILD = "[0-9A-Za-z-]++(?:\\.[0-9A-Za-z-]++)*+";
    private static final Pattern LINE = Pattern.compile("openshell " + NUMBER + "\\." + NUMBER + "\\." + NUMBER
            + "(?:-(" + IDENTIFIER + "(?:\\." + IDENTIFIER + ")*+))?(?:\\+" + BUILD + ")?(?:\r?\n)?");
    private static final int MAX_LENGTH = 255;
    private static final Pattern DIGITS = Pattern.compile("[0-9]+");
    private static final Comparator<OpenShellVersion> ORDER = Comparator.comparingInt(OpenShellVersion::major)
            .thenComparingInt(OpenShellVersion::minor).thenComparingInt(OpenShellVersion::patch)
            .thenComparing(OpenShellVersion::preRelease, OpenShellVersion::comparePreReleases);
    /** Numbers have no leading zeros, so the longer one is the larger. */
    private static final Comparator<String> NUMBERS =
            Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

    private final int major;
    private final int minor;
    private final int patch;
    private final String preRelease;

    private OpenShellVersion(int major, int minor, int patch, String preRelease) {
        this.major = major;
        this.minor = minor;
        this.patch = patch;
        this.preRelease = preRelease;
    }

    /**
     * Reads what {@code openshell --version} prints: {@code openshell} and a version of SemVer 2.0, such as
     * {@code openshell 0.1.3-dev.4+g2bf9969}; a line end is allowed. Each of the three numbers has nine digits at most, and
     * the whole text 255 characters.
     *
     * @throws IllegalArgumentException for any other text, which the message does not quote
     */
    public static OpenShellVersion parse(String line) {
        Matcher matcher = LINE.matcher(line);
        if (line.length() > MAX_LENGTH || !matcher.matches()) {
            throw new IllegalArgumentException("a version line is \"openshell X.Y.Z\", with SemVer's -pre-release and +build");
        }
        return new OpenShellVersion(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)),
                Integer.parseInt(matcher.group(3)), matcher.group(4) == null ? "" : matcher.group(4));
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

    /** Returns what stands after the hyphen, such as {@code rc.1}; {@code ""} for a release. */
    public String preRelease() {
        return preRelease;
    }

    private static int comparePreReleases(String one, String other) {
        if (one.isEmpty() || other.isEmpty()) {
            return Boolean.compare(one.isEmpty(), other.isEmpty());
        }
        String[] ours = one.split("\\.");
        String[] theirs = other.split("\\.");
        for (int i = 0; i < Math.min(ours.length, theirs.length); i++) {
            int order = compareIdentifiers(ours[i], theirs[i]);
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(ours.length, theirs.length);
    }

    private static int compareIdentifiers(String one, String other) {
        boolean number = DIGITS.matcher(one).matches();
        boolean otherNumber = DIGITS.matcher(other).matches();
        if (number != otherNumber) {
            return number ? -1 : 1;
        }
        return number ? NUMBERS.compare(one, other) : one.compareTo(other);
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
        return ((major * 31 + minor) * 31 + patch) * 31 + preRelease.hashCode();
    }

    /** Returns {@code X.Y.Z}, and {@code -pre-release} where there is one. */
    @Override
    public String toString() {
        return numbers() + (preRelease.isEmpty() ? "" : "-" + preRelease);
    }

    /** {@code X.Y.Z}: short whatever a CLI printed. */
    String numbers() {
        return major + "." + minor + "." + patch;
    }
}
