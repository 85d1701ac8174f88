// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What was kept of one output stream of a process: its first 262,144 bytes at most. Immutable and thread-safe; equal when
 * bytes and total are. {@code toString()} shows sizes and no output.
 */
public final class CapturedOutput {

    /** Bytes of a stream that are kept. */
    static final int MAX_BYTES = 262_144;

    static final CapturedOutput EMPTY = new CapturedOutput(new byte[0], 0);

    private final byte[] kept;
    private final long totalBytes;

    /** @param kept owned by this object from now on */
    CapturedOutput(byte[] kept, long totalBytes) {
        this.kept = kept;
        this.totalBytes = totalBytes;
    }

    /**
     * Returns what a run would have kept of a stream: the first 262,144 bytes, and the count of all. For the tests of a
     * dispatcher; copied.
     */
    public static CapturedOutput of(byte[] everything) {
        return new CapturedOutput(Arrays.copyOf(everything, Math.min(everything.length, MAX_BYTES)), everything.length);
    }

    /** Returns {@link #of} the UTF-8 bytes of a text. */
    public static CapturedOutput ofText(String everything) {
        return of(everything.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Returns what was kept as UTF-8 text. A character that the bound cut in two is left out. Malformed bytes elsewhere
     * become U+FFFD, in the way of {@link CharsetDecoder}. May hold anything that the process chose to print, terminal
     * sequences included.
     */
    public String text() {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE);
        CharBuffer text = CharBuffer.allocate(kept.length);
        // Input that goes on leaves an unfinished character at its end alone.
        decoder.decode(ByteBuffer.wrap(kept), text, !truncated());
        return text.flip().toString();
    }

    /** Returns what was kept, a new array for each call. */
    public byte[] bytes() {
        return kept.clone();
    }

    /** Returns how many bytes were seen, kept or not. */
    public long totalBytes() {
        return totalBytes;
    }

    /** Returns whether the stream had more bytes than were kept. */
    public boolean truncated() {
        return totalBytes > kept.length;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CapturedOutput that && totalBytes == that.totalBytes && Arrays.equals(kept, that.kept);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(kept);
    }

    /** Returns the sizes; no output. */
    @Override
    public String toString() {
        return "CapturedOutput[kept=" + kept.length + ", totalBytes=" + totalBytes + "]";
    }
}
