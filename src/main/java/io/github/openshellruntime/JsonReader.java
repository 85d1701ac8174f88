// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import io.github.openshellruntime.JsonValue.Kind;
import io.github.openshellruntime.JsonValue.Member;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads one JSON document into a located tree, as RFC 8259 has it and within limits; the only class that imports the
 * parser of Jackson. No data binding: types, duplicates and positions are kept as they were written.
 */
final class JsonReader {

    /**
     * How much of a document is read: levels, the root being 1; UTF-16 units of a decoded key and string; characters of a
     * number; tokens, where {@code { } [ ]}, keys and scalars count.
     */
    record Limits(int depth, int key, int string, int number, int tokens) {

        /** The limits of a config. */
        static final Limits CONFIG = new Limits(8, 128, 131_072, 64, 20_000);
    }

    /** A document that is not read to its end: why, and where. */
    static final class Unreadable extends Exception {

        private static final long serialVersionUID = 1L;

        final Problem.Rule rule;
        final int offset;
        final String hint;

        Unreadable(Problem.Rule rule, int offset, String message, String hint) {
            super(message, null, false, false);
            this.rule = rule;
            this.offset = offset;
            this.hint = hint;
        }
    }

    private static final JsonFactory FACTORY = JsonFactory.builder()
            // Our own limits are counted in the walk; these only stop a parser that would go on without bound.
            .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(1_000).maxNameLength(4 << 20)
                    .maxStringLength(4 << 20).maxNumberLength(4 << 20).maxTokenCount(1L << 23).build())
            // A thread that keeps a Jackson buffer also keeps its class loader, and a redeployment must drop that.
            .recyclerPool(JsonRecyclerPools.nonRecyclingPool())
            // Keys come from outside: a flood of them must not fill a table that the JVM keeps for ever.
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    private final String text;
    private final Limits limits;
    private final JsonParser parser;
    private int tokens;

    private JsonReader(String text, Limits limits, JsonParser parser) {
        this.text = text;
        this.limits = limits;
        this.parser = parser;
    }

    /** @throws Unreadable for {@code SYNTAX}, {@code LIMIT} and {@code TRAILING}, whichever the text meets first */
    static JsonValue read(String text, Limits limits) throws Unreadable {
        // A single array: with it the parser's offsets are the text's.
        try (JsonParser parser = FACTORY.createParser(withAsciiEscapes(text))) {
            return new JsonReader(text, limits, parser).document();
        } catch (IOException e) {
            throw new IllegalStateException("a text in memory cannot fail to be read");
        }
    }

    /**
     * The characters of the text for the parser. Of each of the four in an escape, Jackson 2.18 to 2.22 reads only the low
     * byte, and takes U+0136 for a 6. One that is not ASCII is exchanged for one that every version refuses there.
     */
    private static char[] withAsciiEscapes(String text) {
        char[] characters = text.toCharArray();
        for (int i = text.indexOf('\\'); i >= 0; i = text.indexOf('\\', i + 2)) {
            int end = text.startsWith("u", i + 1) ? Math.min(i + 6, characters.length) : 0;
            for (int digit = i + 2; digit < end; digit++) {
                characters[digit] = characters[digit] < 0x80 ? characters[digit] : '?';
            }
        }
        return characters;
    }

    private JsonValue document() throws IOException, Unreadable {
        try {
            if (parser.nextToken() == null) {
                throw new JsonFault(text, text.length(), '\0').found(limits);
            }
            JsonValue root = value();
            nothingFollows();
            return root;
        } catch (JsonProcessingException e) {
            throw fault(e);
        }
    }

    /** Jackson's messages may quote the text, so only the place where it stopped is used. */
    private Unreadable fault(JsonProcessingException refusal) throws IOException, Unreadable {
        if (parser.currentToken() == JsonToken.FIELD_NAME) {
            // It looks past a key before it returns it; a key over a limit comes first.
            count();
            text(limits.key, JsonFault.LONG_KEY);
        }
        int at = (int) refusal.getLocation().getCharOffset();
        if (!(refusal instanceof JsonEOFException) && at == parser.currentLocation().getCharOffset()) {
            // It stops behind the control character, the number and, before 2.21, the bare word that it refuses.
            at = JsonFault.startOfWord(text, at);
        }
        JsonStreamContext context = parser.getParsingContext();
        return new JsonFault(text, at, context.inObject() ? '{' : context.inArray() ? '[' : '\0').found(limits);
    }

    private JsonValue value() throws IOException, Unreadable {
        int offset = tokenOffset();
        count();
        require(parser.getParsingContext().getNestingDepth(), limits.depth, "nested deeper than %d levels");
        return switch (parser.currentToken()) {
            case START_OBJECT -> JsonValue.object(members(), offset);
            case START_ARRAY -> JsonValue.array(items(), offset);
            case VALUE_STRING -> JsonValue.scalar(Kind.STRING, text(limits.string, JsonFault.LONG_STRING), offset);
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT ->
                    JsonValue.scalar(Kind.NUMBER, text(limits.number, "a number of more than %d characters"), offset);
            case VALUE_TRUE, VALUE_FALSE -> JsonValue.scalar(Kind.BOOLEAN, parser.getText(), offset);
            case VALUE_NULL -> JsonValue.scalar(Kind.NULL, "", offset);
            default -> throw new IllegalStateException("a strict parser gives no such token");
        };
    }

    private List<Member> members() throws IOException, Unreadable {
        List<Member> members = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            int offset = tokenOffset();
            count();
            String key = text(limits.key, JsonFault.LONG_KEY);
            if (Text.hasLoneSurrogate(key)) {
                throw JsonFault.syntax(offset, JsonFault.HALF_CHARACTER, "");
            }
            parser.nextToken();
            members.add(new Member(key, offset, value()));
        }
        count();
        return members;
    }

    private List<JsonValue> items() throws IOException, Unreadable {
        List<JsonValue> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(value());
        }
        count();
        return items;
    }

    private String text(int limit, String over) throws IOException, Unreadable {
        require(parser.getTextLength(), limit, over);
        return parser.getText();
    }

    private void count() throws Unreadable {
        require(++tokens, limits.tokens, "more than %d tokens");
    }

    private void require(int measured, int limit, String over) throws Unreadable {
        if (measured > limit) {
            throw JsonFault.over(tokenOffset(), over, limit);
        }
    }

    private void nothingFollows() throws Unreadable {
        int end = (int) parser.currentLocation().getCharOffset();
        while (end < text.length() && JsonFault.isBlank(text.charAt(end))) {
            end++;
        }
        if (end < text.length()) {
            throw new Unreadable(Problem.Rule.TRAILING, end, "something follows the document's one value",
                    "one JSON object is the whole config");
        }
    }

    private int tokenOffset() {
        return (int) parser.currentTokenLocation().getCharOffset();
    }
}
