// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.ConfigReport.Clause;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The parts of an image reference, as the OCI distribution specification has them, and the check for OpenShell: it takes
 * some references for a file to find or build. A missing part is null.
 */
final class ConfigImage {

    private static final String NAME = "[a-z0-9]++(?:(?:\\.|_|__|-++)[a-z0-9]++)*+";
    private static final Pattern NAMES = Pattern.compile(NAME + "(?:/" + NAME + ")*+");
    private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,127}");
    private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}");
    static final List<Clause<ConfigImage>> GRAMMAR = List.of(
            Clause.value(image -> Text.utf8Length(image.text) > 1_024, "must have at most 1024 bytes"),
            Clause.value(image -> image.text.equals(image.names) && image.names.indexOf('/') < 0,
                    "must have a path, a tag or a digest, such as team/agent, agent:1 or agent@sha256:<64 hex>"),
            Clause.value(ConfigImage::namesAFile,
                    "must not end in .tar, .tar.gz or .tgz nor have \"dockerfile\" in it: OpenShell would look for a file"),
            Clause.value(image -> image.host != null && !Text.isHost(image.host),
                    "has a host that is not labels of letters, digits and inner hyphens, joined by single dots"),
            Clause.value(image -> image.port != null && Text.port(image.port) == 0,
                    "has a port that is not a plain number from 1 to 65535"),
            Clause.value(image -> !NAMES.matcher(image.names).matches(),
                    "has a name that is not lower-case letters and digits joined by a dot, by _ or __, or by hyphens"),
            Clause.value(image -> image.tag != null && !TAG.matcher(image.tag).matches(),
                    "has a tag that is not 1 to 128 letters, digits, dots, underscores and hyphens, no dot or hyphen first"),
            Clause.value(image -> image.digest != null && !DIGEST.matcher(image.digest).matches(),
                    "has a digest that is not sha256: and 64, or sha512: and 128 hex digits in lower case"));

    private final String text;
    private final String host;
    private final String port;
    private final String names;
    private final String tag;
    private final String digest;

    ConfigImage(String text) {
        this.text = text;
        this.digest = behind('@', text);
        String named = before(digest, text);
        String first = named.substring(0, Math.max(0, named.indexOf('/')));
        // What has a dot or a colon before the first slash can only be a host.
        boolean remote = first.indexOf('.') >= 0 || first.indexOf(':') >= 0 || first.equals("localhost");
        this.port = remote ? behind(':', first) : null;
        this.host = remote ? before(port, first) : null;
        String path = remote ? behind('/', named) : named;
        this.tag = behind(':', path.substring(path.lastIndexOf('/') + 1));
        this.names = before(tag, path);
    }

    /** What is behind the first of a mark, or null. */
    private static String behind(char mark, String text) {
        return text.indexOf(mark) < 0 ? null : text.substring(text.indexOf(mark) + 1);
    }

    /** What is before the mark in front of an end. */
    private static String before(String end, String text) {
        return end == null ? text : text.substring(0, text.length() - end.length() - 1);
    }

    private boolean namesAFile() {
        String lower = text.toLowerCase(Locale.ROOT);
        return lower.endsWith(".tar") || lower.endsWith(".tar.gz") || lower.endsWith(".tgz") || lower.contains("dockerfile");
    }
}
