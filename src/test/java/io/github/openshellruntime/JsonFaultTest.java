// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.openshellruntime.JsonReader.Limits;
import io.github.openshellruntime.JsonReader.Unreadable;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a text is refused and in which words, with every version of the parser. */
@DisplayName("Faults of JSON")
class JsonFaultTest {

    private static final Limits SMALL = new Limits(100, 5, 7, 64, 1_000);

    private static Unreadable find(String text) {
        return find(text, Limits.CONFIG);
    }

    private static Unreadable find(String text, Limits limits) {
        return catchThrowableOfType(Unreadable.class, () -> JsonReader.read(text, limits));
    }

    private static void assertFault(String text, int offset, String words) {
        Unreadable fault = find(text);
        assertThat(fault.rule).as(text).isEqualTo(Problem.Rule.SYNTAX);
        assertThat(fault.offset).as(text).isEqualTo(offset);
        assertThat(fault.getMessage()).as(text).contains(words);
    }

    @ParameterizedTest(name = "R55 {0} is taken, and refused behind its end")
    @ValueSource(strings = {"0", "-0", "1", "9", "10", "-12", "1.5", "0.25", "0.0", "1e5", "1E5", "1e+5", "1e-5", "1.5E+10", "0e0",
        "9.9e9", "12345678901234567890", "true", "false", "null", "\"\"", "\"a\"", "\"\\n\\\"\\\\\\/\\b\\f\\r\\t\"",
        "\"\\u00e9\\u0AbF\\ud83d\\ude00\"", "\"\\ud800\"", "\"\u00e9\ud83d\ude00\u007f \"", "[]", "{}", "[ ]", "{ }", "[1,[2,[]]]",
        "{\"a\":{\"b\":[]},\"c\":1}", "[{},{}]", "{\"\":\"\"}", "{\"\\ud83d\\ude00\":1}", "{\"\ud83d\ude00\":1}", "\t[\r\n1 , 2\n]\n"})
    void wellFormed_isTaken(String value) {
        assertThat(find(value)).isNull();
        assertThat(find(" \t\r\n" + value + " \t\r\n")).isNull();
        for (String close : List.of("", " ", "\n\t")) {
            String before = "[" + value + close;
            assertFault(before + "?", before.length(), "'?' where a comma or ] belongs");
            assertFault(before + ",?", before.length() + 1, "'?' where a value belongs");
            before = "{\"k\":" + value + close;
            assertFault(before + "?", before.length(), "'?' where a comma or } belongs");
            assertFault(before + ",?", before.length() + 1, "'?' where a key in double quotes belongs");
            assertFault(before, before.length(), "an object is not closed");
        }
        Unreadable trailing = find(value + " x");
        assertThat(trailing.rule).isEqualTo(Problem.Rule.TRAILING);
        assertThat(trailing.offset).isEqualTo((value + " ").length());
    }

    @ParameterizedTest(name = "R55 no number of JSON: {0}")
    @ValueSource(strings = {"-", "-a", "01", "00", "-01", "1.", "1.a", "1.e5", "-.5", "1e", "1e+", "1e-", "1E", "1ea", "1.5e", "1e+x", "-\"",
        "012.5", "-/", "-:", "1./", "1.:"})
    void number_isRefusedAtItsStart(String number) {
        assertFault("[" + number + "]", 1, "a number that JSON does not have");
        assertFault("{\"k\": " + number + "}", 6, "a number that JSON does not have");
    }

    @ParameterizedTest(name = "a bare word is refused at its first character: {0}")
    @ValueSource(strings = {"t", "tru", "True", "truex", "true1", "true_", "false0", "nul", "nulls", "null_", "None", "abc", "_", "$", "\u00e9", "falsetrue"})
    void word_isRefusedAtItsStart(String word) {
        assertFault("[" + word + "]", 1, "where a value belongs");
        assertFault("[1," + word, 3, "where a value belongs");
    }

    @ParameterizedTest(name = "{0}: offset {1}, {2}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "|0|the document ends too early", "[|1|an array is not closed", "{|1|an object is not closed", "[[]|3|an array is not closed",
        "{\"a\":[]|7|an object is not closed", "[{}|3|an array is not closed", "{\"a|3|a key is not closed", "[\"a|3|a string is not closed",
        "[\"\\|3|a string is not closed", "[\"\\u12|6|a string is not closed", "{\"\\|3|a key is not closed",
        "]|0|']' where a value belongs", "[1,]|3|']' where a value belongs", "[,|1|',' where a value belongs",
        "[}|1|'}' where a value belongs", "{]|1|']' where a key", "{\"a\":1,}|7|'}' where a key", "{\"a\":}|5|'}' where a value",
        "{\"a\"}|4|'}' where a colon", "{\"a\"::1}|5|':' where a value", "{\"a\":1:2}|6|':' where a comma or }", "[1}|2|'}' where a comma or ]",
        "{\"a\":1]|6|']' where a comma or }", "[!|1|'!'", "[~|1|'~'", "[\"\\!\"|3|'!' where an escape", "[\"\\u00g0\"|6|'g' where a hex digit",
        "[\"\\u00G0\"|6|'G' where a hex", "[\"\\u00/0\"|6|'/' where a hex", "[\"\\u00:0\"|6|':' where a hex", "[\"\\u00@0\"|6|'@' where a hex",
        "[\"\\u00`0\"|6|where a hex", "{\"a\\q\":1}|4|'q' where an escape"})
    void fault_isAtItsCharacter(String text, int offset, String words) {
        assertFault(text == null ? "" : text, offset, words);
    }

    @Test
    @DisplayName("what is not printable is named by its code point")
    void unprintable_isNamed() {
        assertFault("[\u007f", 1, "U+007F");
        assertFault("[\u00a0", 1, "U+00A0");
        assertFault("[\ud83d\ude00", 1, "U+1F600");
        assertFault("[\"\u0000\"]", 2, "U+0000 in a string");
        assertFault("[\"\u001f\"]", 2, "U+001F in a string");
        assertFault("[\"\\u\uff11", 4, "U+FF11 where a hex");
    }

    @Test
    @DisplayName("limits inside the text come before a later fault, and are exact")
    void limits_comeFirst() {
        assertThat(find("[\"1234567\"?", SMALL).rule).isEqualTo(Problem.Rule.SYNTAX);
        Unreadable longString = find("[1,\"12345678\"?", SMALL);
        assertThat(longString.rule).isEqualTo(Problem.Rule.LIMIT);
        assertThat(longString.offset).isEqualTo(3);
        assertThat(longString.getMessage()).contains("7 UTF-16 units");
        assertThat(find("{\"12345\"?", SMALL).rule).isEqualTo(Problem.Rule.SYNTAX);
        Unreadable longKey = find("{\"123456\":1}", SMALL);
        assertThat(longKey.rule).isEqualTo(Problem.Rule.LIMIT);
        assertThat(longKey.offset).isEqualTo(1);
        assertThat(longKey.getMessage()).contains("5 UTF-16 units");
        for (String fault : List.of("?", ":?", ":tru", ":01", ":", "")) {
            assertThat(find("{\"123456\"" + fault, SMALL).rule).as(fault).isEqualTo(Problem.Rule.LIMIT);
            assertThat(find("{\"1\":2,\"3\"" + fault, new Limits(8, 8, 8, 8, 3)).offset).as(fault).isEqualTo(7);
            assertThat(find("{\"1\":2,\"3\"" + fault, new Limits(8, 8, 8, 8, 3)).rule).as(fault).isEqualTo(Problem.Rule.LIMIT);
        }
        assertThat(find("[\"\\n\\n\\n\\n\\n\\n\\u0041\"?", SMALL).rule).isEqualTo(Problem.Rule.SYNTAX);
    }

    @ParameterizedTest(name = "half a character in a key is refused by every version of the parser, at a place of its own: {0}")
    @ValueSource(strings = {"{\"\\ud800\":1}", "{\"a\\udfff\":1}", "{\"\\ud800a\":1}", "{\"\\ud83d\\ude00\\ud800\\n\":1}",
        "{\"\\udbff\\u0041\":1}", "{\"\\ud800\\ud800\\udc00\":1}", "{\"\\ud800\\udc00\\udc00\":1}", "{\"\\ud800\u00e9\":1}"})
    void halfCharacter_inAKey(String text) {
        Unreadable fault = find(text);

        assertThat(fault.rule).isEqualTo(Problem.Rule.SYNTAX);
        assertThat(fault.getMessage()).isEqualTo("half a character in a key");
        assertThat(fault.offset).isBetween(1, text.indexOf(':'));
    }

    @ParameterizedTest(name = "RT-01 an escape has four ASCII hex digits, whatever the low byte of a character is: {0}")
    @ValueSource(strings = {"\\u00\u0136\u0131", "\\u\u01300041", "\\u004\uff11", "\\u004\u0661", "\\u004\ud835\udfcf", "\\u0\u017f41", "a\\\\\\u00\u04361",
        "\\n\\u00\u0a41\u0431"})
    void escape_isAscii(String escape) {
        int fault = escape.chars().takeWhile(c -> c < 0x80).map(c -> 1).sum();

        assertFault("[\"" + escape + "\"]", 2 + fault, "where a hex digit belongs");
        assertFault("{\"k\": {\"" + escape + "\": 1}}", 8 + fault, "where a hex digit belongs");
        assertFault("[\"" + escape, 2 + fault, "where a hex digit belongs");
        assertThat(find("[\"" + escape + "\"]").getMessage()).contains(Text.codePoint(escape, fault));
    }

    @Test
    @DisplayName("what is no escape keeps its characters: two backslashes and a u, four digits and more")
    void escape_isNothingElse() throws Exception {
        String text = "[\"\\\\u00\u0136\u0131\", \"\\u0041\u0136\", \"\\n\u0136\u0131\", \"\u0136\\u0136\"]";

        assertThat(JsonReader.read(text, Limits.CONFIG).items()).extracting(JsonValue::text)
                .containsExactly("\\u00\u0136\u0131", "A\u0136", "\n\u0136\u0131", "\u0136\u0136");
    }

    @ParameterizedTest(name = "hint of {0}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {"[/|comments are not JSON", "[#|comments are not JSON", "['|JSON has double quotes only",
        "[1,]|remove the comma before it", "[1,@]|remove the comma before it", "{\"a\":1 ,}|remove the comma before it", "]|", "[1}|", "[}|",
        "x|the config is one JSON object; is this YAML?", "@x|the config is one JSON object; is this YAML?", "[x|", "[1 x|", "--|"})
    void hint_isRight(String text, String hint) {
        assertThat(find(text.replace("@", " \t\r\n")).hint).isEqualTo(hint == null ? "" : hint);
    }
}
