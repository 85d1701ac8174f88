// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

/** The text of a document, and where in it an offset is: lines end at LF, CR or CRLF, columns are UTF-16 units. */
final class SourceText {

    /** A source that has no places: what the builder makes. */
    static final SourceText NOWHERE = new SourceText("");

    /** The offset of what has no place. */
    static final int NO_OFFSET = -1;

    private final String text;

    // Problems come mostly in the order of the text, so the search for a line goes on from the last one.
    private int knownOffset;
    private int knownLine = 1;
    private int knownLineStart;

    SourceText(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    /** A problem at {@code offset}, or without a place for {@link #NO_OFFSET}. */
    Problem problem(Problem.Rule rule, String pointer, int offset, String message, String hint) {
        if (offset == NO_OFFSET) {
            return Problem.of(rule, pointer, message, hint);
        }
        seek(offset);
        return new Problem(rule, pointer, knownLine, offset - knownLineStart + 1, message, hint);
    }

    /** {@code line:column} of an offset. */
    String place(int offset) {
        if (offset == NO_OFFSET) {
            return "0:0";
        }
        seek(offset);
        return knownLine + ":" + (offset - knownLineStart + 1);
    }

    private void seek(int offset) {
        if (offset < knownLineStart) {
            knownOffset = 0;
            knownLine = 1;
            knownLineStart = 0;
        }
        for (int i = knownOffset; i < offset; i++) {
            char c = text.charAt(i);
            boolean ends = c == '\n' || c == '\r' && !(i + 1 < text.length() && text.charAt(i + 1) == '\n');
            if (ends) {
                knownLine++;
                knownLineStart = i + 1;
            }
        }
        knownOffset = offset;
    }
}
