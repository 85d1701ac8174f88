// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.Problem.Rule;
import io.github.openshellruntime.StrictJson.Limits;
import io.github.openshellruntime.StrictJson.Unreadable;

/**
 * Says in our own words what is wrong where the parser has stopped: its words may quote the text. All that stands before
 * that place is well-formed, so it takes no grammar to see what belongs there.
 */
final class JsonFault {

    private static final String ESCAPES = "\"\\/bfnrtu";

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
        boolean control = start == end && end > 0 && text.charAt(end - 1) < ' ' && !isBlank(text.charAt(end - 1));
        return control ? end - 1 : start;
    }

    private static boolean isWord(char c) {
        return c > ' ' && Character.isJavaIdentifierPart(c) || c == '+' || c == '-' || c == '.';
    }

    static Unreadable longKey(int offset, Limits limits) {
        return new Unreadable(Rule.LIMIT, offset, "a key of more than " + limits.key() + " UTF-16 units", "");
    }

    static Unreadable longString(int offset, Limits limits) {
        return new Unreadable(Rule.LIMIT, offset, "a string of more than " + limits.string() + " UTF-16 units", "");
    }

    /** Some versions of the parser take such a key, some do not, so none does here. */
    static Unreadable halfCharacter(int offset) {
        return syntax(offset, "half a character in a key", "");
    }

    static Unreadable trailing(int offset) {
        return new Unreadable(Rule.TRAILING, offset, "something follows the document's one value",
                "one JSON object is the whole config");
    }

    private static Unreadable syntax(int offset, String message, String hint) {
        return new Unreadable(Rule.SYNTAX, offset, message, hint);
    }

    /** What is wrong: a string that goes over its limit before the fault comes first. */
    Unreadable found(Limits limits) {
        boolean key = open == '{' && mark != ':';
        if (quote >= 0 && units() > (key ? limits.key() : limits.string())) {
            return key ? longKey(quote, limits) : longString(quote, limits);
        }
        if (at >= text.length()) {
            return syntax(at, "the document ends too early" + unclosed(key), "");
        }
        return quote >= 0 ? inString() : outside(wanted(key));
    }

    /** UTF-16 units of the open string before the fault, decoded. */
    private int units() {
        int units = 0;
        for (int i = quote + 1; i < at; units++) {
            i += text.charAt(i) != '\\' ? 1 : text.startsWith("u", i + 1) ? "\\u0000".length() : "\\n".length();
            if (i > at) {
                return units;
            }
        }
        return units;
    }

    private String unclosed(boolean key) {
        if (quote >= 0) {
            return key ? ": a key is not closed" : ": a string is not closed";
        }
        return open == '{' ? ": an object is not closed" : open == '[' ? ": an array is not closed" : "";
    }

    private Unreadable inString() {
        char c = text.charAt(at);
        if (c < ' ') {
            return syntax(at, shown() + " in a string", "write it as an escape");
        }
        if (text.charAt(at - 1) != '\\') {
            return syntax(at, shown() + " where a hex digit belongs", "an escape is \\u and four of 0-9, a-f, A-F");
        }
        return ESCAPES.indexOf(c) >= 0 ? halfCharacter(at) : syntax(at, shown() + " where an escape that JSON has belongs", "");
    }

    private String wanted(boolean key) {
        if (key && mark != '}' && mark != ']') {
            return filled ? "a colon" : "a key in double quotes";
        }
        return !filled ? "a value" : open == '{' ? "a comma or }" : "a comma or ]";
    }

    private Unreadable outside(String wanted) {
        char c = text.charAt(at);
        char before = at == 0 ? 0 : text.charAt(at - 1);
        boolean number = before == '-' || before == '+' || isDigit(before) && ".eE".indexOf(c) >= 0
                || (isDigit(c) || c == '-') && wanted.equals("a value");
        if (number) {
            return syntax(startOfWord(text, at), "a number that JSON does not have", "");
        }
        return open == 0 && filled ? trailing(at) : syntax(at, shown() + " where " + wanted + " belongs", hint(c));
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private String hint(char c) {
        return switch (c) {
            case '/', '#' -> "comments are not JSON";
            case '\'' -> "JSON has double quotes only";
            case '}', ']' -> mark == ',' && !filled ? "remove the comma before it" : "";
            default -> mark == 0 ? "the config is one JSON object; is this YAML?" : "";
        };
    }

    private String shown() {
        char c = text.charAt(at);
        return c > ' ' && c <= '~' ? "'" + c + "'" : Text.codePoint(text, at);
    }
}
