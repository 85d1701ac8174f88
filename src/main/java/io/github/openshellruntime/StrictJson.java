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
final class StrictJson {

    /**
     * How much of a document is read.
     *
     * @param depth of arrays and objects, the root being 1
     * @param key UTF-16 units of a key, decoded
     * @param string UTF-16 units of a string, decoded
     * @param number characters of a number, as written
     * @param tokens {@code { } [ ]}, keys and scalars together
     */
    record Limits(int depth, int key, int string, int number, int tokens) {

        /** The limits of a config. */
        static final Limits CONFIG = new Limits(8, 128, 131_072, 64, 20_000);
    }

    /** A document that is not read to its end, and where. */
    static final class Unreadable extends Exception {

        private static final long serialVersionUID = 1L;

        private final Problem.Rule rule;
        private final int offset;
        private final String hint;

        Unreadable(Problem.Rule rule, int offset, String message, String hint) {
            super(message, null, false, false);
            this.rule = rule;
            this.offset = offset;
            this.hint = hint;
        }

        Problem.Rule rule() {
            return rule;
        }

        int offset() {
            return offset;
        }

        String hint() {
            return hint;
        }
    }

    /** Our own limits are counted in the walk; these only stop a parser that would go on without bound. */
    private static final StreamReadConstraints BACKSTOP = StreamReadConstraints.builder()
            .maxNestingDepth(1_000)
            .maxNameLength(4 << 20)
            .maxStringLength(4 << 20)
            .maxNumberLength(4 << 20)
            .maxTokenCount(1L << 23)
            .build();

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(BACKSTOP)
            // A thread that keeps a buffer of Jackson's keeps its class loader, too, which a redeployment wants to drop.
            .recyclerPool(JsonRecyclerPools.nonRecyclingPool())
            // Keys come from outside: a flood of them must not fill a table that the JVM keeps for ever.
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    private final String text;
    private final Limits limits;
    private final JsonParser parser;
    private int depth;
    private int tokens;

    private StrictJson(String text, Limits limits, JsonParser parser) {
        this.text = text;
        this.limits = limits;
        this.parser = parser;
    }

    /**
     * @throws Unreadable for {@code SYNTAX}, {@code LIMIT} and {@code TRAILING}, whichever the text meets first
     */
    static JsonValue read(String text, Limits limits) throws Unreadable {
        // A single array: with it the parser's offsets are the text's.
        try (JsonParser parser = FACTORY.createParser(withAsciiEscapes(text))) {
            return new StrictJson(text, limits, parser).document();
        } catch (IOException e) {
            throw new IllegalStateException("a text in memory cannot fail to be read");
        }
    }

    /**
     * The characters of the text for the parser. Of the four in an escape Jackson 2.18 to 2.22 looks at the low byte alone,
     * so that U+0136 is a 6 to it: one that is not ASCII is exchanged for one that every version refuses at that place.
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
            nothingFollows(root);
            return root;
        } catch (JsonProcessingException e) {
            throw fault(e);
        }
    }

    /** What is wrong where Jackson has stopped; its message may quote the text, so the place is all that is taken from it. */
    private Unreadable fault(JsonProcessingException refusal) {
        int at = (int) refusal.getLocation().getCharOffset();
        if (!(refusal instanceof JsonEOFException) && at == parser.currentLocation().getCharOffset()) {
            // It stands behind the control character, the number and, before 2.21, the bare word that it refuses.
            at = JsonFault.startOfWord(text, at);
        }
        JsonStreamContext context = parser.getParsingContext();
        return new JsonFault(text, at, context.inObject() ? '{' : context.inArray() ? '[' : '\0').found(limits);
    }

    private JsonValue value() throws IOException, Unreadable {
        int offset = tokenOffset();
        count(offset);
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(offset);
            case START_ARRAY -> array(offset);
            case VALUE_STRING -> JsonValue.scalar(Kind.STRING, string(offset), offset);
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> JsonValue.scalar(Kind.NUMBER, number(offset), offset);
            case VALUE_TRUE, VALUE_FALSE -> JsonValue.scalar(Kind.BOOLEAN, parser.getText(), offset);
            case VALUE_NULL -> JsonValue.scalar(Kind.NULL, "", offset);
            default -> throw new IllegalStateException("a strict parser gives no such token");
        };
    }

    private JsonValue object(int offset) throws IOException, Unreadable {
        enter(offset);
        List<Member> members = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            int keyOffset = tokenOffset();
            count(keyOffset);
            String key = parser.currentName();
            if (key.length() > limits.key) {
                throw JsonFault.longKey(keyOffset, limits);
            }
            if (Text.hasLoneSurrogate(key)) {
                throw JsonFault.halfCharacter(keyOffset);
            }
            parser.nextToken();
            members.add(new Member(key, keyOffset, value()));
        }
        leave();
        return JsonValue.object(members, offset);
    }

    private JsonValue array(int offset) throws IOException, Unreadable {
        enter(offset);
        List<JsonValue> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(value());
        }
        leave();
        return JsonValue.array(items, offset);
    }

    private void enter(int offset) throws Unreadable {
        if (++depth > limits.depth) {
            throw new Unreadable(Problem.Rule.LIMIT, offset,
                    "nested deeper than " + limits.depth + " levels", "");
        }
    }

    private void leave() throws Unreadable {
        count(tokenOffset());
        depth--;
    }

    private void count(int offset) throws Unreadable {
        if (++tokens > limits.tokens) {
            throw new Unreadable(Problem.Rule.LIMIT, offset, "more than " + limits.tokens + " tokens", "");
        }
    }

    private String string(int offset) throws IOException, Unreadable {
        String decoded = parser.getText();
        if (decoded.length() > limits.string) {
            throw JsonFault.longString(offset, limits);
        }
        return decoded;
    }

    private String number(int offset) throws IOException, Unreadable {
        if (parser.getTextLength() > limits.number) {
            throw new Unreadable(Problem.Rule.LIMIT, offset,
                    "a number of more than " + limits.number + " characters", "");
        }
        return parser.getText();
    }

    private void nothingFollows(JsonValue root) throws Unreadable {
        int end = switch (root.kind()) {
            case NUMBER, BOOLEAN -> root.offset() + root.text().length();
            case NULL -> root.offset() + "null".length();
            default -> (int) parser.currentLocation().getCharOffset();
        };
        for (int i = end; i < text.length(); i++) {
            if (!JsonFault.isBlank(text.charAt(i))) {
                throw JsonFault.trailing(i);
            }
        }
    }

    private int tokenOffset() {
        return (int) parser.currentTokenLocation().getCharOffset();
    }
}
