// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.function.IntPredicate;

/** What this package asks of strings that come from outside. */
final class Text {

    /** Characters of a name, a key or a pointer that a message shows before it is cut. */
    private static final int SHOWN = 64;

    private static final int MAX_PORT = 65_535;
    private static final int MAX_PORT_DIGITS = 5;

    private Text() {
    }

    /**
     * Makes text from outside fit for one line of a report: what is not printable ASCII becomes a backslash, {@code u}
     * and four hex digits, and what is longer than 64 characters after that is cut and ends in {@code ...}. So nobody
     * can forge a line, move the cursor or hide text by its direction.
     */
    static String printable(String outside) {
        // Each character shows as at least one, so what comes later cannot be seen.
        String shown = escaped(outside.substring(0, Math.min(outside.length(), SHOWN + 1)));
        return shown.length() <= SHOWN ? shown : shown.substring(0, SHOWN) + "...";
    }

    /** Like {@link #printable}, but whole: for paths of this program's own choice. */
    static String escaped(String outside) {
        StringBuilder shown = new StringBuilder();
        for (char c : outside.toCharArray()) {
            if (c >= ' ' && c <= '~') {
                shown.append(c);
            } else {
                shown.append(String.format("\\u%04X", (int) c));
            }
        }
        return shown.toString();
    }

    /** {@code U+XXXX} of the code point at {@code index}. */
    static String codePoint(String text, int index) {
        return String.format("U+%04X", text.codePointAt(index));
    }

    static boolean hasLoneSurrogate(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(c)) {
                return true;
            }
        }
        return false;
    }

    /** The length in UTF-8 of text without lone surrogates. */
    static int utf8Length(String text) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                bytes += 1;
            } else if (c < 0x800 || Character.isSurrogate(c)) {
                bytes += 2;
            } else {
                bytes += 3;
            }
        }
        return bytes;
    }

    /** Whether a kernel can take the text as one C string: no NUL, and UTF-8 can hold it. */
    static boolean fitsAnArgument(String text) {
        return text.indexOf('\0') < 0 && !hasLoneSurrogate(text);
    }

    static boolean hasDotSegment(String path) {
        return path.contains("/./") || path.contains("/../") || path.endsWith("/.") || path.endsWith("/..");
    }

    /** Where the first character is that is wanted, or -1. */
    static int indexOf(String text, IntPredicate wanted) {
        for (int i = 0; i < text.length(); i++) {
            if (wanted.test(text.charAt(i))) {
                return i;
            }
        }
        return -1;
    }

    /** Whether text is labels of ASCII letters, digits and inner hyphens, however long, joined by single dots. */
    static boolean isHost(String text) {
        char before = '.';
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!isHostCharacter(c) || before == '.' && (c == '.' || c == '-') || before == '-' && c == '.') {
                return false;
            }
            before = c;
        }
        return before != '.' && before != '-';
    }

    static boolean isHostCharacter(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-';
    }

    /** A port of one to five digits, the first not 0, up to 65535; 0 for anything else. */
    static int port(String digits) {
        boolean plain = !digits.isEmpty() && digits.length() <= MAX_PORT_DIGITS && digits.charAt(0) != '0'
                && indexOf(digits, c -> c < '0' || c > '9') < 0;
        int port = plain ? Integer.parseInt(digits) : 0;
        return port <= MAX_PORT ? port : 0;
    }

    static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > 0x7F) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether this JVM hands the text to a child process as its UTF-8 bytes. Java 17 encodes with the default charset,
     * Java 18 and later with {@code sun.jnu.encoding}; so text beyond ASCII needs both to be UTF-8. Under
     * {@code LANG=C} an {@code é} would arrive as {@code ?}.
     */
    static boolean survivesLaunch(String text) {
        return isAscii(text) || Charset.defaultCharset().equals(StandardCharsets.UTF_8)
                && "UTF-8".equalsIgnoreCase(System.getProperty("sun.jnu.encoding"));
    }
}
