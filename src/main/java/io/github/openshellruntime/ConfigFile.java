// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import io.github.openshellruntime.Problem.Rule;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Reads the bytes of a config file, or refuses it with one rule of the file. */
final class ConfigFile {

    /** Bytes of a config at most. */
    static final int MAX_BYTES = 1 << 20;

    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private ConfigFile() {
    }

    /** A step between the look at a file and its opening, for the test that exchanges the file there. */
    interface BeforeOpen {
        BeforeOpen NOTHING = () -> {
        };

        void run() throws IOException;
    }

    /**
     * Reads a regular file that stays the same from the first look to after the last byte. Links are resolved once.
     *
     * @throws RefusedException with one rule of the file
     */
    static byte[] read(Path path, BeforeOpen beforeOpen) {
        String source = path.toString();
        try {
            Path real = path.toRealPath();
            Identity before = Identity.of(real);
            // Before the open: opening a FIFO waits for a writer, and opening a device can do anything.
            if (!before.regular) {
                throw refused(source, Rule.FILE_NOT_REGULAR, "names something other than a regular file", "");
            }
            beforeOpen.run();
            byte[] bytes;
            try (InputStream in = Files.newInputStream(real, LinkOption.NOFOLLOW_LINKS)) {
                bytes = in.readNBytes(MAX_BYTES + 1);
            }
            if (bytes.length > MAX_BYTES) {
                throw tooBig(source);
            }
            if (!Identity.of(real).equals(before)) {
                throw changed(source);
            }
            return bytes;
        } catch (NoSuchFileException e) {
            throw refused(source, Rule.FILE_NOT_FOUND, "names no file", "");
        } catch (IOException | UnsupportedOperationException e) {
            throw refused(source, Rule.FILE_UNREADABLE, "cannot be read",
                    "check its permissions and those of the directories above it");
        }
    }

    /**
     * Decodes bytes as UTF-8 without repairing anything.
     *
     * @throws RefusedException for {@code FILE_TOO_BIG}, {@code FILE_EMPTY} and {@code ENCODING}
     */
    static String decode(byte[] bytes, String source) {
        if (bytes.length > MAX_BYTES) {
            throw tooBig(source);
        }
        if (isBlank(bytes)) {
            throw refused(source, Rule.FILE_EMPTY, "holds nothing", "the smallest config names a workload");
        }
        if (startsWithByteOrderMark(bytes)) {
            throw badByte(source, 0, "a byte order mark");
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        // A wrong byte becomes a replacement character; without one, this quick way was exact.
        return text.indexOf('\uFFFD') < 0 && text.indexOf('\0') < 0 ? text : decodeStrictly(bytes, source);
    }

    private static String decodeStrictly(byte[] bytes, String source) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length);
        CoderResult result = decoder.decode(in, out, true);
        int malformed = result.isError() ? in.position() : bytes.length;
        int nul = indexOfNul(bytes, malformed);
        if (nul < malformed) {
            throw badByte(source, nul, "a NUL");
        }
        if (malformed < bytes.length) {
            throw badByte(source, malformed, "not UTF-8");
        }
        return out.flip().toString();
    }

    private static boolean isBlank(byte[] bytes) {
        for (byte b : bytes) {
            if (b != ' ' && b != '\t' && b != '\r' && b != '\n') {
                return false;
            }
        }
        return true;
    }

    private static boolean startsWithByteOrderMark(byte[] bytes) {
        return bytes.length >= BYTE_ORDER_MARK.length
                && Arrays.equals(bytes, 0, BYTE_ORDER_MARK.length, BYTE_ORDER_MARK, 0, BYTE_ORDER_MARK.length);
    }

    private static int indexOfNul(byte[] bytes, int end) {
        int i = 0;
        while (i < end && bytes[i] != 0) {
            i++;
        }
        return i;
    }

    private static RefusedException tooBig(String source) {
        return refused(source, Rule.FILE_TOO_BIG, "is longer than 1 MiB (1,048,576 bytes)", "");
    }

    private static RefusedException changed(String source) {
        return refused(source, Rule.FILE_CHANGED, "was changed or exchanged while it was read", "load it again");
    }

    private static RefusedException badByte(String source, int offset, String what) {
        return refused(source, Rule.ENCODING, "byte " + offset + " is " + what, "save it as UTF-8 without a byte order mark");
    }

    private static RefusedException refused(String source, Rule rule, String message, String hint) {
        return new RefusedException(RefusedException.Code.SCHEMA_INVALID, source,
                List.of(Problem.of(rule, "", message, hint)));
    }

    /** What must be the same before the open and after the last byte. */
    private record Identity(boolean regular, Object key, long size, Object modified, Object changed) {

        static Identity of(Path path) throws IOException {
            BasicFileAttributes basic =
                    Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            Object changed = path.getFileSystem().supportedFileAttributeViews().contains("unix")
                    ? Files.getAttribute(path, "unix:ctime", LinkOption.NOFOLLOW_LINKS) : null;
            return new Identity(basic.isRegularFile(), basic.fileKey(), basic.size(), basic.lastModifiedTime(), changed);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Identity that && regular == that.regular && size == that.size
                    && Objects.equals(key, that.key) && Objects.equals(modified, that.modified)
                    && Objects.equals(changed, that.changed);
        }

        @Override
        public int hashCode() {
            return Objects.hash(regular, key, size, modified, changed);
        }
    }
}
