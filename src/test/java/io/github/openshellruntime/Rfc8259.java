// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

/** The grammar of RFC 8259, production by production and nothing else: what the reader under test is compared with. */
final class Rfc8259 {

    /** What {@link #fault} returns for a JSON text. */
    static final int NONE = -1;

    private final String text;
    private int pos;

    private Rfc8259(String text) {
        this.text = text;
    }

    /** The first character with which no JSON text goes on, the length where one ends early, or {@link #NONE}. */
    static int fault(String text) {
        Rfc8259 reader = new Rfc8259(text);
        return reader.element() && reader.pos == text.length() ? NONE : reader.pos;
    }

    /** ws value ws */
    private boolean element() {
        whiteSpace();
        boolean good = value();
        if (good) {
            whiteSpace();
        }
        return good;
    }

    private boolean value() {
        return switch (peek()) {
            case '{' -> list('{', '}', true);
            case '[' -> list('[', ']', false);
            case '"' -> string();
            case 't' -> word("true");
            case 'f' -> word("false");
            case 'n' -> word("null");
            default -> number();
        };
    }

    /** begin [ member *( value-separator member ) ] end, where a member of an array is its value alone */
    private boolean list(char begin, char end, boolean named) {
        take(begin);
        whiteSpace();
        if (take(end)) {
            return true;
        }
        do {
            whiteSpace();
            if (named && !(string() && colon()) || !element()) {
                return false;
            }
        } while (take(','));
        return take(end);
    }

    private boolean colon() {
        whiteSpace();
        return take(':');
    }

    private boolean word(String word) {
        for (char c : word.toCharArray()) {
            if (!take(c)) {
                return false;
            }
        }
        return true;
    }

    /** [ minus ] int [ frac ] [ exp ] */
    private boolean number() {
        take('-');
        if (!take('0') && !digits()) {
            return false;
        }
        if (take('.') && !digits()) {
            return false;
        }
        if (takeAny("eE")) {
            takeAny("+-");
            return digits();
        }
        return true;
    }

    private boolean digits() {
        int start = pos;
        while (peek() >= '0' && peek() <= '9') {
            pos++;
        }
        return pos > start;
    }

    private boolean string() {
        if (!take('"')) {
            return false;
        }
        while (!take('"')) {
            if (take('\\')) {
                if (!escape()) {
                    return false;
                }
            } else if (peek() < 0x20) {
                return false;
            } else {
                pos++;
            }
        }
        return true;
    }

    private boolean escape() {
        if (!take('u')) {
            return takeAny("\"\\/bfnrt");
        }
        for (int i = 0; i < 4; i++) {
            if (!takeAny("0123456789abcdefABCDEF")) {
                return false;
            }
        }
        return true;
    }

    private void whiteSpace() {
        while (takeAny(" \t\n\r")) {
            continue;
        }
    }

    private boolean takeAny(String characters) {
        return pos < text.length() && characters.indexOf(text.charAt(pos)) >= 0 && take(text.charAt(pos));
    }

    private boolean take(char c) {
        boolean there = pos < text.length() && text.charAt(pos) == c;
        if (there) {
            pos++;
        }
        return there;
    }

    /** The next character, or NUL at the end: no production takes one. */
    private char peek() {
        return pos < text.length() ? text.charAt(pos) : 0;
    }
}
