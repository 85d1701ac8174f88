// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.Problem.Rule;
import io.github.openshellruntime.StrictJson.Limits;
import io.github.openshellruntime.StrictJson.Unreadable;

/**
 * Finds the character at fault in a text that the parser has refused. Jackson's own locations differ from fault to
 * fault and from version to version (a bare word's end, the character after a bad one), and its messages quote the
 * text; so for a refused text, and only then, the grammar of RFC 8259 is walked once more.
 */
final class JsonFault {

    private enum Expected {
        VALUE, VALUE_OR_END, KEY, KEY_OR_END, COLON, COMMA_OR_END
    }

    private final String text;
    private final Limits limits;
    private int pos;

    private JsonFault(String text, Limits limits) {
        this.text = text;
        this.limits = limits;
    }

    /** The fault of a text that is known to have one. */
    static Unreadable find(String text, Limits limits) {
        JsonFault search = new JsonFault(text, limits);
        try {
            search.walk();
        } catch (Unreadable fault) {
            return fault;
        }
        search.skipWhiteSpace();
        if (search.pos < text.length()) {
            // Right behind a number the parser is stricter than the grammar.
            return trailing(search.pos);
        }
        // The parser saw what this walk did not. Refused all the same, at the start of the document.
        return new Unreadable(Rule.SYNTAX, 0, "not JSON as RFC 8259 has it", "");
    }

    static Unreadable longKey(int offset, Limits limits) {
        return new Unreadable(Rule.LIMIT, offset, "a key of more than " + limits.key() + " UTF-16 units", "");
    }

    static Unreadable longString(int offset, Limits limits) {
        return new Unreadable(Rule.LIMIT, offset, "a string of more than " + limits.string() + " UTF-16 units", "");
    }

    static Unreadable trailing(int offset) {
        return new Unreadable(Rule.TRAILING, offset, "something follows the document's one value",
                "one JSON object is the whole config");
    }

    private void walk() throws Unreadable {
        // The brackets that are open, as text: a document can open a million of them.
        StringBuilder open = new StringBuilder();
        Expected expected = Expected.VALUE;
        while (true) {
            skipWhiteSpace();
            char c = current(open);
            switch (expected) {
                case VALUE, VALUE_OR_END -> {
                    if (c == '{' || c == '[') {
                        open.append(c);
                        pos++;
                        expected = c == '{' ? Expected.KEY_OR_END : Expected.VALUE_OR_END;
                        continue;
                    }
                    if (c == ']' && expected == Expected.VALUE_OR_END) {
                        close(open);
                    } else {
                        scalar(c);
                    }
                    expected = Expected.COMMA_OR_END;
                }
                case KEY, KEY_OR_END -> {
                    if (c == '"') {
                        string(true);
                        expected = Expected.COLON;
                    } else if (c == '}' && expected == Expected.KEY_OR_END) {
                        close(open);
                        expected = Expected.COMMA_OR_END;
                    } else {
                        throw unexpected("a key in double quotes");
                    }
                }
                case COLON -> {
                    if (c != ':') {
                        throw unexpected("a colon");
                    }
                    pos++;
                    expected = Expected.VALUE;
                }
                case COMMA_OR_END -> {
                    boolean object = open.charAt(open.length() - 1) == '{';
                    if (c == ',') {
                        pos++;
                        expected = object ? Expected.KEY : Expected.VALUE;
                    } else if (c == (object ? '}' : ']')) {
                        close(open);
                    } else {
                        throw unexpected(object ? "a comma or }" : "a comma or ]");
                    }
                }
            }
            if (open.isEmpty()) {
                return;
            }
        }
    }

    private void close(StringBuilder open) {
        open.setLength(open.length() - 1);
        pos++;
    }

    private void skipWhiteSpace() {
        while (pos < text.length() && " \t\r\n".indexOf(text.charAt(pos)) >= 0) {
            pos++;
        }
    }

    private char current(StringBuilder open) throws Unreadable {
        if (pos >= text.length()) {
            throw endsEarly(open.isEmpty() ? ""
                    : open.charAt(open.length() - 1) == '{' ? ": an object is not closed" : ": an array is not closed");
        }
        return text.charAt(pos);
    }

    private Unreadable endsEarly(String what) {
        return new Unreadable(Rule.SYNTAX, text.length(), "the document ends too early" + what, "");
    }

    private void scalar(char c) throws Unreadable {
        if (c == '"') {
            string(false);
        } else if (c == '-' || c >= '0' && c <= '9') {
            number();
        } else {
            word("true", "false", "null");
        }
    }

    private void word(String... literals) throws Unreadable {
        int end = pos;
        while (end < text.length() && Character.isJavaIdentifierPart(text.charAt(end))) {
            end++;
        }
        for (String literal : literals) {
            if (end - pos == literal.length() && text.startsWith(literal, pos)) {
                pos = end;
                return;
            }
        }
        throw unexpected("a value");
    }

    private void number() throws Unreadable {
        int start = pos;
        if (text.charAt(pos) == '-') {
            pos++;
        }
        int first = pos;
        digits(start);
        if (text.charAt(first) == '0' && pos - first > 1) {
            throw badNumber(start);
        }
        if (pos < text.length() && text.charAt(pos) == '.') {
            pos++;
            digits(start);
        }
        if (pos < text.length() && (text.charAt(pos) == 'e' || text.charAt(pos) == 'E')) {
            pos++;
            if (pos < text.length() && (text.charAt(pos) == '+' || text.charAt(pos) == '-')) {
                pos++;
            }
            digits(start);
        }
    }

    private void digits(int start) throws Unreadable {
        int first = pos;
        while (pos < text.length() && text.charAt(pos) >= '0' && text.charAt(pos) <= '9') {
            pos++;
        }
        if (pos == first) {
            throw badNumber(start);
        }
    }

    private Unreadable badNumber(int start) {
        return new Unreadable(Rule.SYNTAX, start, "a number that JSON does not have", "");
    }

    private void string(boolean key) throws Unreadable {
        int start = pos++;
        int units = 0;
        char before = 0;
        int beforeAt = 0;
        while (true) {
            if (pos >= text.length()) {
                throw endsEarly(key ? ": a key is not closed" : ": a string is not closed");
            }
            int at = pos;
            char c = text.charAt(pos);
            if (c < ' ') {
                throw unexpected("no raw control character in a string");
            }
            pos++;
            boolean ends = c == '"';
            char unit = c == '\\' ? escape() : c;
            // Some versions of Jackson take a key with half a character and some do not; here none is taken.
            if (key && Character.isHighSurrogate(before) && (ends || !Character.isLowSurrogate(unit))) {
                throw halfCharacter(beforeAt);
            }
            if (key && Character.isLowSurrogate(unit) && !Character.isHighSurrogate(before)) {
                throw halfCharacter(at);
            }
            if (ends) {
                return;
            }
            before = unit;
            beforeAt = at;
            if (++units > (key ? limits.key() : limits.string())) {
                throw key ? longKey(start, limits) : longString(start, limits);
            }
        }
    }

    private static Unreadable halfCharacter(int escape) {
        return new Unreadable(Rule.SYNTAX, escape + 1, "an escape of half a character in a key", "");
    }

    /** Returns what the escape stands for. */
    private char escape() throws Unreadable {
        if (pos >= text.length()) {
            throw endsEarly(": a string is not closed");
        }
        char c = text.charAt(pos);
        if ("\"\\/bfnrtu".indexOf(c) < 0) {
            throw unexpected("an escape that JSON has");
        }
        pos++;
        int unit = 0;
        for (int i = 0; c == 'u' && i < 4; i++, pos++) {
            if (pos >= text.length()) {
                throw endsEarly(": a string is not closed");
            }
            int digit = Character.digit(text.charAt(pos), 16);
            if (digit < 0 || text.charAt(pos) > 'f') {
                throw unexpected("four hex digits");
            }
            unit = unit << 4 | digit;
        }
        return (char) unit;
    }

    private Unreadable unexpected(String wanted) {
        char c = text.charAt(pos);
        String shown = c > ' ' && c <= '~' ? "'" + c + "'" : Text.codePoint(text, pos);
        return new Unreadable(Rule.SYNTAX, pos, shown + " where " + wanted + " belongs", hint(c));
    }

    private String hint(char c) {
        return switch (c) {
            case '/', '#' -> "comments are not JSON";
            case '\'' -> "JSON has double quotes only";
            case '}', ']' -> precededByComma() ? "remove the comma before it" : "";
            default -> pos == firstVisible() ? "the config is one JSON object; is this YAML?" : "";
        };
    }

    private boolean precededByComma() {
        int i = pos - 1;
        while (i >= 0 && " \t\r\n".indexOf(text.charAt(i)) >= 0) {
            i--;
        }
        return i >= 0 && text.charAt(i) == ',';
    }

    private int firstVisible() {
        int i = 0;
        while (i < text.length() && " \t\r\n".indexOf(text.charAt(i)) >= 0) {
            i++;
        }
        return i;
    }
}
