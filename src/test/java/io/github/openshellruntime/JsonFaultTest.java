// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.openshellruntime.StrictJson.Limits;
import io.github.openshellruntime.StrictJson.Unreadable;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The search for a fault walks over everything that is well-formed and stops at what is not. */
@DisplayName("The search for a fault")
class JsonFaultTest {

    private static final Limits SMALL = new Limits(100, 5, 7, 64, 1_000);

    private static Unreadable find(String text) {
        return JsonFault.find(text, Limits.CONFIG);
    }

    private static void assertFault(String text, int offset, String words) {
        Unreadable fault = find(text);
        assertThat(fault.rule()).as(text).isEqualTo(Problem.Rule.SYNTAX);
        assertThat(fault.offset()).as(text).isEqualTo(offset);
        assertThat(fault.getMessage()).as(text).contains(words);
    }

    @ParameterizedTest(name = "R55 {0} is walked over")
    @ValueSource(strings = {"0", "-0", "1", "9", "10", "-12", "1.5", "0.25", "0.0", "1e5", "1E5", "1e+5", "1e-5", "1.5E+10", "0e0",
        "9.9e9", "12345678901234567890", "true", "false", "null", "\"\"", "\"a\"", "\"\\n\\\"\\\\\\/\\b\\f\\r\\t\"",
        "\"\\u00e9\\u0AbF\\ud83d\\ude00\"", "\"\\ud800\"", "\"\u00e9\ud83d\ude00\u007f \"", "[]", "{}", "[ ]", "{ }", "[1,[2,[]]]",
        "{\"a\":{\"b\":[]},\"c\":1}", "[{},{}]", "{\"\":\"\"}", "{\"\\ud83d\\ude00\":1}", "{\"\ud83d\ude00\":1}", "\t[\r\n1 , 2\n]\n"})
    void wellFormed_isWalkedOver(String value) {
        assertThat(find(value).getMessage()).startsWith("not JSON");
        assertThat(find(value).offset()).isZero();
        assertThat(find(" \t\r\n" + value + " \t\r\n").getMessage()).startsWith("not JSON");
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
        assertThat(trailing.rule()).isEqualTo(Problem.Rule.TRAILING);
        assertThat(trailing.offset()).isEqualTo((value + " ").length());
    }

    @ParameterizedTest(name = "R55 no number of JSON: {0}")
    @ValueSource(strings = {"-", "-a", "01", "00", "-01", "1.", "1.a", "1.e5", "-.5", "1e", "1e+", "1e-", "1E", "1ea", "1.5e", "1e+x", "-\"",
        "012.5", "-/", "-:", "1./", "1.:"})
    void number_isRefusedAtItsStart(String number) {
        assertFault("[" + number, 1, "a number that JSON does not have");
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
        "[\"\\|3|a string is not closed", "[\"\\u12|6|a string is not closed", "{\"\\|3|a string is not closed",
        "]|0|']' where a value belongs", "[1,]|3|']' where a value belongs", "[,|1|',' where a value belongs",
        "[}|1|'}' where a value belongs", "{]|1|']' where a key", "{\"a\":1,}|7|'}' where a key", "{\"a\":}|5|'}' where a value",
        "{\"a\"}|4|'}' where a colon", "{\"a\"::1}|5|':' where a value", "{\"a\":1:2}|6|':' where a comma or }", "[1}|2|'}' where a comma or ]",
        "{\"a\":1]|6|']' where a comma or }", "[!|1|'!'", "[~|1|'~'", "[\"\\!\"|3|'!' where an escape", "[\"\\u00g0\"|6|'g' where four hex digits",
        "[\"\\u00G0\"|6|'G' where four hex", "[\"\\u00/0\"|6|'/' where four hex", "[\"\\u00:0\"|6|':' where four hex", "[\"\\u00@0\"|6|'@' where four hex",
        "[\"\\u00`0\"|6|where four hex", "{\"a\\q\":1}|4|'q' where an escape"})
    void fault_isAtItsCharacter(String text, int offset, String words) {
        assertFault(text == null ? "" : text, offset, words);
    }

    @Test
    @DisplayName("what is not printable is named by its code point")
    void unprintable_isNamed() {
        assertFault("[\u007f", 1, "U+007F");
        assertFault("[\u00a0", 1, "U+00A0");
        assertFault("[\ud83d\ude00", 1, "U+1F600");
        assertFault("[\"\u0000\"]", 2, "U+0000 where no raw control");
        assertFault("[\"\u001f\"]", 2, "U+001F where no raw control");
        assertFault("[\"\\u\uff11", 4, "U+FF11 where four hex");
    }

    @Test
    @DisplayName("limits inside the text come before a later fault, and are exact")
    void limits_comeFirst() {
        assertThat(JsonFault.find("[\"1234567\"?", SMALL).rule()).isEqualTo(Problem.Rule.SYNTAX);
        Unreadable longString = JsonFault.find("[1,\"12345678\"?", SMALL);
        assertThat(longString.rule()).isEqualTo(Problem.Rule.LIMIT);
        assertThat(longString.offset()).isEqualTo(3);
        assertThat(longString.getMessage()).contains("7 UTF-16 units");
        assertThat(JsonFault.find("{\"12345\"?", SMALL).rule()).isEqualTo(Problem.Rule.SYNTAX);
        Unreadable longKey = JsonFault.find("{\"123456\"?", SMALL);
        assertThat(longKey.rule()).isEqualTo(Problem.Rule.LIMIT);
        assertThat(longKey.offset()).isEqualTo(1);
        assertThat(longKey.getMessage()).contains("5 UTF-16 units");
        assertThat(JsonFault.find("[\"\\n\\n\\n\\n\\n\\n\\u0041\"?", SMALL).rule()).isEqualTo(Problem.Rule.SYNTAX);
    }

    @ParameterizedTest(name = "half a character in a key: {0} at {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {"{\"\\ud800\"|3", "{\"a\\udfff\"|4", "{\"\\ud800a\"|3", "{\"\\ud83d\\ude00\\ud800\\n\"|15",
        "{\"\\udbff\\u0041\"|3", "{\"\\ud800\\ud800\\udc00\"|3", "{\"\\ud800\\udc00\\udc00\"|15"})
    void halfCharacter_inAKey(String text, int offset) {
        assertFault(text, offset, "half a character in a key");
    }

    @ParameterizedTest(name = "hint of {0}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {"[/|comments are not JSON", "[#|comments are not JSON", "['|JSON has double quotes only",
        "[1,]|remove the comma before it", "[1,@]|remove the comma before it", "{\"a\":1 ,}|remove the comma before it", "]|", "[1}|", "[}|",
        "x|the config is one JSON object; is this YAML?", "@x|the config is one JSON object; is this YAML?", "[x|", "[1 x|", "--|"})
    void hint_isRight(String text, String hint) {
        assertThat(find(text.replace("@", " \t\r\n")).hint()).isEqualTo(hint == null ? "" : hint);
    }
}
