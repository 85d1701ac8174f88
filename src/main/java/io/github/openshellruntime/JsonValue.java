// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.List;

/**
 * A JSON value that knows where it stands.
 *
 * @param text a string decoded, or a number as it was written; {@code ""} for the rest
 * @param items the elements of an array
 * @param members the members of an object in their order, duplicates included
 * @param offset of the first character, or {@link JsonSource#NO_OFFSET}
 */
record JsonValue(Kind kind, String text, List<JsonValue> items, List<Member> members, int offset) {

    enum Kind {
        OBJECT("an object"), ARRAY("an array"), STRING("a string"), NUMBER("a number"), BOOLEAN("a boolean"), NULL("null");

        private final String words;

        Kind(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }

    /**
     * One member of an object.
     *
     * @param offset of the key's opening quote, or {@link JsonSource#NO_OFFSET}
     */
    record Member(String key, int offset, JsonValue value) {
    }

    static JsonValue scalar(Kind kind, String text, int offset) {
        return new JsonValue(kind, text, List.of(), List.of(), offset);
    }

    static JsonValue array(List<JsonValue> items, int offset) {
        return new JsonValue(Kind.ARRAY, "", items, List.of(), offset);
    }

    static JsonValue object(List<Member> members, int offset) {
        return new JsonValue(Kind.OBJECT, "", List.of(), members, offset);
    }
}
