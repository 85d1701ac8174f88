// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.Arrays;
import java.util.stream.IntStream;

/** The text of a document, and where in it an offset is: lines end at LF, CR or CRLF, columns are UTF-16 units. */
final class JsonSource {

    /** A source that has no places: what the builder makes. */
    static final JsonSource NOWHERE = new JsonSource("");

    /** The offset of what has no place. */
    static final int NO_OFFSET = -1;

    private final String text;
    /** Where each line starts; made when the first place is asked for. */
    private int[] lineStarts;

    JsonSource(String text) {
        this.text = text;
    }

    /** A problem at {@code offset}, or without a place for {@link #NO_OFFSET}. */
    Problem problem(Problem.Rule rule, String pointer, int offset, String message, String hint) {
        return new Problem(rule, pointer, line(offset), column(offset), message, hint);
    }

    /** {@code line:column} of an offset. */
    String place(int offset) {
        return line(offset) + ":" + column(offset);
    }

    private int line(int offset) {
        if (lineStarts == null) {
            lineStarts = IntStream.rangeClosed(0, text.length()).filter(this::startsALine).toArray();
        }
        int found = Arrays.binarySearch(lineStarts, offset);
        return found >= 0 ? found + 1 : -found - 1;
    }

    private int column(int offset) {
        return offset == NO_OFFSET ? 0 : offset - lineStarts[line(offset) - 1] + 1;
    }

    private boolean startsALine(int offset) {
        char before = offset == 0 ? '\n' : text.charAt(offset - 1);
        return before == '\n' || before == '\r' && !text.startsWith("\n", offset);
    }
}
