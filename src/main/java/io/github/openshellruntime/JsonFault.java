// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.Problem.Rule;
import io.github.openshellruntime.JsonReader.Limits;
import io.github.openshellruntime.JsonReader.Unreadable;

/**
 * Says in our own words what is wrong where the parser has stopped, since the parser's may quote the text. The text before
 * is well-formed, so no grammar is needed to see what belongs there.
 */
final class JsonFault {

    static final String LONG_KEY = "a key of more than %d UTF-16 units";
    static final String LONG_STRING = "a string of more than %d UTF-16 units";
    /** Only some versions of the parser take such a key, so this reader refuses it. */
    static final String HALF_CHARACTER = "half a character in a key";

    private static final String ESCAPES = "\"\\/bfnrtu";
    private static final String DIGITS = "0123456789";

    private final String text;
    private final int at;
    private final char open;
    /** Where the string begins that the fault is in, or -1. */
    private int quote = -1;
    /** The last of <code>{ [ , : ] }</code> before the fault, or 0; none of them in a string counts. */
    private char mark;
    /** Whether something stands behind the mark. */
    private boolean filled;

    /**
     * @param at where the parser has stopped; the length of the text if that ends too early
     * @param open the bracket that is open there, or 0
     */
    JsonFault(String text, int at, char open) {
        this.text = text;
        this.at = at;
        this.open = open;
        for (int i = 0; i < at; i++) {
            char c = text.charAt(i);
            if (quote >= 0) {
                quote = c == '"' ? -1 : quote;
                i += c == '\\' ? 1 : 0;
            } else if ("{[,:]}".indexOf(c) >= 0) {
                mark = c;
                filled = c == ']' || c == '}';
            } else {
                quote = c == '"' ? i : -1;
                filled |= !isBlank(c);
            }
        }
    }

    static boolean isBlank(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
    }

    /** Where the word, the number or the one control character begins that goes up to {@code end}; else {@code end}. */
    static int startOfWord(String text, int end) {
        int start = end;
        while (start > 0 && isWord(text.charAt(start - 1))) {
            start--;
        }
        return start == end && end > 0 && text.charAt(end - 1) < ' ' && !isBlank(text.charAt(end - 1)) ? end - 1 : start;
    }

    private static boolean isWord(char c) {
        return c > ' ' && Character.isJavaIdentifierPart(c) || c == '+' || c == '-' || c == '.';
    }

    static Unreadable over(int offset, String format, int limit) {
        return new Unreadable(Rule.LIMIT, offset, String.format(format, limit), "");
    }

    static Unreadable syntax(int offset, String message, String hint) {
        return new Unreadable(Rule.SYNTAX, offset, message, hint);
    }

    Unreadable found(Limits limits) {
        boolean key = open == '{' && mark != ':';
        int limit = key ? limits.key() : limits.string();
        // A string that goes over its limit does so before the fault in it.
        if (quote >= 0 && units() > limit) {
            return over(quote, key ? LONG_KEY : LONG_STRING, limit);
        }
        if (at >= text.length()) {
            String what = quote >= 0 ? key ? "a key" : "a string"
                    : open == '{' ? "an object" : open == '[' ? "an array" : "its value";
            return syntax(at, "the document ends too early: " + what + " is not closed", "");
        }
        return quote >= 0 ? inString() : outside();
    }

    /** UTF-16 units of the open string before the fault, decoded. */
    private int units() {
        int units = -1;
        for (int i = quote + 1; i <= at; units++) {
            i += i == at || text.charAt(i) != '\\' ? 1 : text.startsWith("u", i + 1) ? "\\u0000".length() : "\\n".length();
        }
        return units;
    }

    private Unreadable inString() {
        char c = text.charAt(at);
        if (c < ' ') {
            return syntax(at, shown() + " in a string", "write it as an escape");
        }
        boolean escaped = text.charAt(at - 1) == '\\';
        return escaped && ESCAPES.indexOf(c) >= 0 ? syntax(at, HALF_CHARACTER, "")
                : syntax(at, shown() + " where " + (escaped ? "an escape that JSON has" : "a hex digit") + " belongs", "");
    }

    private Unreadable outside() {
        char c = text.charAt(at);
        char before = at == 0 ? 0 : text.charAt(at - 1);
        String wanted = wanted();
        boolean number = before == '-' || before == '+' || DIGITS.indexOf(before) >= 0 && ".eE".indexOf(c) >= 0
                || (DIGITS.indexOf(c) >= 0 || c == '-') && wanted.equals("a value");
        return number ? syntax(startOfWord(text, at), "a number that JSON does not have", "")
                : syntax(at, shown() + " where " + wanted + " belongs", hint(c));
    }

    private String wanted() {
        if (open == '{' && (mark == '{' || mark == ',')) {
            return filled ? "a colon" : "a key in double quotes";
        }
        return !filled ? "a value" : open == '{' ? "a comma or }" : open == '[' ? "a comma or ]" : "the end";
    }

    private String hint(char c) {
        return switch (c) {
            case '/', '#' -> "comments are not JSON";
            case '\'' -> "JSON has double quotes only";
            case '}', ']' -> mark == ',' && !filled ? "remove the comma before it" : "";
            default -> mark == 0 && !filled ? "the config is one JSON object; is this YAML?" : "";
        };
    }

    private String shown() {
        char c = text.charAt(at);
        return c > ' ' && c <= '~' ? "'" + c + "'" : Text.codePoint(text, at);
    }
}
