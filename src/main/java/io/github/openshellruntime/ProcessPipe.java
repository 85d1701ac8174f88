// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Takes what a pipe announces and never waits for more: it keeps the first bytes and counts the rest. */
final class ProcessPipe {

    /** Takes the bytes over the bound, as many as a Linux pipe holds. Nobody reads it, so all runs share it. */
    private static final byte[] SINK = new byte[65_536];

    /** That of all discarding runs. */
    static final ProcessPipe NONE = new ProcessPipe(new ByteArrayInputStream(new byte[0]));

    private final InputStream in;
    private byte[] kept = {};
    private int size;
    private long total;

    ProcessPipe(InputStream in) {
        this.in = in;
    }

    /** Takes what is there now. Returns how much that was. */
    int take() throws IOException {
        int announced = in.available();
        int taken = 0;
        while (taken < announced) {
            int n = read(announced - taken);
            if (n <= 0) {
                break;
            }
            taken += n;
            total += n;
        }
        return taken;
    }

    private int read(int announced) throws IOException {
        int room = CapturedOutput.MAX_BYTES - size;
        if (room == 0) {
            return in.read(SINK, 0, Math.min(announced, SINK.length));
        }
        int wanted = Math.min(announced, room);
        if (kept.length - size < wanted) {
            kept = Arrays.copyOf(kept, Math.max(size + wanted, Math.min(2 * kept.length, CapturedOutput.MAX_BYTES)));
        }
        int n = in.read(kept, size, wanted);
        size += Math.max(n, 0);
        return n;
    }

    /** What was taken; nothing more may be taken after it. */
    CapturedOutput captured() {
        byte[] all = size == kept.length ? kept : Arrays.copyOf(kept, size);
        return total == 0 ? CapturedOutput.EMPTY : new CapturedOutput(all, total);
    }

    void close() {
        try {
            in.close();
        } catch (IOException e) {
            // All that was wanted has been read; the descriptor is gone either way.
        }
    }
}
