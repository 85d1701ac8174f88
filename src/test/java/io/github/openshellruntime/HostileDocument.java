// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Documents of 1 MiB, or of as much as 20,000 tokens hold, over which work that is not linear takes long. */
enum HostileDocument {

    /** One string, by which the others are measured. */
    ONE_STRING(() -> "{\"owner\":\"" + "a".repeat(ConfigFile.MAX_BYTES - 12) + "\"}"),

    /** One key again and again, each on a line of its own: a duplicate says where the first stands. */
    ONE_KEY(() -> filled(2, "{\n", i -> "\"zzz\":\"" + "v".repeat(90) + "\",\n", "\"zzz\":0}")),

    /** Unknown keys, long and near a known one: each could be given a suggestion. */
    UNKNOWN_KEYS(() -> filled(2, "{", i -> "\"workloadArgv" + "-_".repeat(45) + i + "\":0,", "\"x\":0}")),

    /** Keys of one hash. */
    KEYS_OF_ONE_HASH(() -> filled(2, "{", i -> "\"" + ofOneHash(i) + "\":0,", "\"x\":0}")),

    /** Denied keys below levels of keys that are as long as they can be: each has a pointer. */
    DENIED_KEYS(() -> filled(2, ("{\"" + "~/".repeat(64) + "\":").repeat(6) + "{", i -> "\"" + "_-".repeat(45) + "netns\":0,",
            "\"x\":0" + "}".repeat(7))),

    /** Good hosts of one hash: a duplicate is looked for among them. */
    HOSTS_OF_ONE_HASH(() -> filled(1, "{\"egressAllow\":[", i -> "\"" + ofOneHash(i) + ".example.com\",", "\"x\"]}")),

    /** Wildcards of as many labels as there can be, not public: the lists are asked, and what a zone lifts. */
    WILDCARDS(() -> filled(1, "{\"egressAllow\":[", i -> "\"*." + "a.".repeat(115) + i + ".lan\",", "\"x\"]}")),

    /** What looks like a URL nearly to its end. */
    SLASHES(() -> filled(1, "{\"egressAllow\":[", i -> "\"" + "/@".repeat(125) + "_" + i + "\",", "\"x\"]}")),

    /** Escapes up to a fault at the end. */
    ESCAPES(() -> filled(1, "{\"workloadArgv\":[", i -> "\"" + "\\u0061\\\\".repeat(1_000) + "\",", "\"\\q\"]}"));

    private static final int TOKENS = 19_900;

    private final Supplier<String> text;

    HostileDocument(Supplier<String> text) {
        this.text = text;
    }

    byte[] bytes() {
        return text.get().getBytes(StandardCharsets.UTF_8);
    }

    /** A head, elements of so many tokens while there is room for them, and a tail. */
    private static String filled(int tokens, String head, IntFunction<String> element, String tail) {
        StringBuilder text = new StringBuilder(head);
        for (int i = 0; i < TOKENS / tokens; i++) {
            String next = element.apply(i);
            if (text.length() + next.length() + tail.length() > ConfigFile.MAX_BYTES) {
                break;
            }
            text.append(next);
        }
        return text.append(tail).toString();
    }

    /** Texts of one hash: {@code an} and {@code c0} have the same. */
    private static String ofOneHash(int number) {
        StringBuilder text = new StringBuilder();
        for (int bit = 0; bit < 15; bit++) {
            text.append((number >> bit & 1) == 0 ? "an" : "c0");
        }
        return text.toString();
    }
}
