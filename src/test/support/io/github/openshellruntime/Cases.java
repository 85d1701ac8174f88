// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reads the tables of cases: one JSON object a line. */
final class Cases {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Cases() {
    }

    static List<JsonNode> read(String resource) {
        try (InputStream in = Cases.class.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().map(Cases::parse).toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static JsonNode parse(String json) {
        try {
            return MAPPER.readTree(json);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Joins the parts of a long text: strings, and {@code {"repeat": text, "times": n}}. */
    static String join(JsonNode parts) {
        StringBuilder text = new StringBuilder();
        for (JsonNode part : parts) {
            text.append(part.isTextual() ? part.asText() : part.get("repeat").asText().repeat(part.get("times").asInt()));
        }
        return text.toString();
    }
}
