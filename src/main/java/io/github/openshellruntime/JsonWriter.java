// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.core.util.Separators.Spacing;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** Writes the JSON of this package, one form for one content; the only class that imports the writer of Jackson. */
final class JsonWriter {

    private static final DefaultIndenter TWO_SPACES = new DefaultIndenter("  ", "\n");

    // A thread that keeps a Jackson buffer also keeps its class loader, and a redeployment must drop that.
    private static final JsonFactory FACTORY =
            JsonFactory.builder().recyclerPool(JsonRecyclerPools.nonRecyclingPool()).build();

    private static final ObjectWriter WRITER = JsonMapper.builder(FACTORY)
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .build()
            .writer(new DefaultPrettyPrinter(Separators.createDefaultInstance()
                    .withObjectFieldValueSpacing(Spacing.AFTER)
                    .withObjectEmptySeparator("")
                    .withArrayEmptySeparator(""))
                    .withObjectIndenter(TWO_SPACES)
                    .withArrayIndenter(TWO_SPACES));

    private JsonWriter() {
    }

    /**
     * Writes maps, lists, strings, integers and booleans: ASCII, members in the order of the map, every member and every
     * element on a line of its own, two spaces a level, one space after a colon, <code>{}</code> and {@code []} for the
     * empty, a line feed at the end.
     */
    static String write(Object value) {
        try {
            return WRITER.writeValueAsString(value) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("plain values can always be written");
        }
    }
}
