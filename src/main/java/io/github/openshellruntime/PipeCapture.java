// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Takes what a pipe announces and never waits for more: the first bytes are kept, the rest is counted. */
final class PipeCapture {

    /** What a pipe of Linux holds, so one look can empty it. */
    private static final int CHUNK = 65_536;
    private static final byte[] NOTHING = {};

    private final InputStream in;
    private byte[] kept = NOTHING;
    private int size;
    private long total;
    private byte[] scratch = NOTHING;

    PipeCapture(InputStream in) {
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
            if (scratch.length == 0) {
                scratch = new byte[CHUNK];
            }
            return in.read(scratch, 0, Math.min(announced, CHUNK));
        }
        int wanted = Math.min(announced, room);
        if (kept.length - size < wanted) {
            int doubled = Math.min(2 * kept.length, CapturedOutput.MAX_BYTES);
            kept = Arrays.copyOf(kept, Math.max(doubled, size + wanted));
        }
        int n = in.read(kept, size, wanted);
        size += Math.max(n, 0);
        return n;
    }

    CapturedOutput captured() {
        return new CapturedOutput(Arrays.copyOf(kept, size), total);
    }

    void close() {
        try {
            in.close();
        } catch (IOException e) {
            // All that was wanted has been read; the descriptor is gone either way.
        }
    }
}
