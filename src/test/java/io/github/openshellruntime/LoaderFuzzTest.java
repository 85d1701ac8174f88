// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Mutates valid configs: each mutant is a config or a refusal, quickly; what is taken as JSON is JSON to an independent
 * reader, and the other way round; what is accepted renders to a policy of the same hosts and ports. Seeded: a failure
 * names the seed and number of its mutant. {@code -Dfuzz.mutants=3000000} runs more of them.
 */
@DisplayName("Mutated configs")
class LoaderFuzzTest {

    private static final int MUTANTS = Integer.getInteger("fuzz.mutants", 100_000);
    private static final long SEED = 20_261_130;
    private static final long SECOND = 1_000_000_000L;

    /** Everything that a document can break; the rest is of files, ids and commands. */
    private static final Set<Problem.Rule> OF_DOCUMENTS = EnumSet.complementOf(EnumSet.of(Problem.Rule.FILE_NOT_FOUND,
            Problem.Rule.FILE_NOT_REGULAR, Problem.Rule.FILE_UNREADABLE, Problem.Rule.FILE_CHANGED, Problem.Rule.SESSION_ID,
            Problem.Rule.COMMAND_EMPTY, Problem.Rule.ARGUMENT_COUNT, Problem.Rule.ARGUMENT_SIZE,
            Problem.Rule.ARGUMENT_CHARACTER, Problem.Rule.PAGE_TOKEN, Problem.Rule.POLICY_MISMATCH,
            Problem.Rule.WORKLOAD_BINARY));

    private static final List<String> VALID = List.of(
            "{\"workloadArgv\":[\"/usr/bin/agent\"]}",
            "{\"workloadArgv\":[\"/usr/bin/agent\",\"--serve\",\"é\"],\"egressAllow\":[\"api.example.com\",\"*.example.org:8443\"]}",
            "{\n  \"egressAllow\": [\"a.example.com:80\", \"b.example.com\"],\n  \"workloadArgv\": [\"/opt/x\"],\n  \"owner\": \"d-1\"\n}",
            "{\"workloadArgv\":[\"/a\"],\"image\":\"team/agent:1\",\"policyDir\":\"/run/p\",\"openshellPath\":\"/o\",\"gateway\":\"g\","
                    + "\"workspace\":\"w\",\"createTimeoutSeconds\":1,\"execTimeoutSeconds\":86400,\"egressAllow\":[]}",
            "{\"workload\\u0041rgv\":[\"/opt/\\u0061\",\"\\n\\\\u00zz\\ud83d\\uDE00\"],\"egressAllow\":[\"\\u0061pi.example.com\"]}");

    private static final List<String> KEYS = List.of("network", "NetworkMode", "host_network", "net-ns", "driverConfig",
            "driver_config_json", "n\u0435twork", "network\uFF2Dode", "workloadArgv", "egressAllow", "owner", "iamge", "zzz", "");

    private static final List<String> VALUES = List.of("null", "true", "0", "-1", "1.5", "1e9", "86401", "\"\"", "\"x\"", "[]", "{}",
            "[[1]]", "{\"a\":{\"netns\":1}}", "\"\\u0000\"", "\"\\ud800\"", "99999999999999999999", "[\"a\",1]");

    private static final List<String> ENTRIES = entries();

    private final Random random = new Random(SEED);

    private static List<String> entries() {
        List<String> entries = new ArrayList<>();
        for (JsonNode row : Cases.read("egress-cases.jsonl")) {
            if (row.has("entry") && Cases.join(row.get("entry")).length() < 400) {
                entries.add(Cases.join(row.get("entry")));
            }
        }
        return entries;
    }

    @Test
    @DisplayName("RT-01, RT-05 mutants are refused or accepted, as JSON by two readers alike, and what is accepted renders to the same"
            + " hosts and ports")
    void mutants_areRefusedOrRendered() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Map<Problem.Rule, Integer> hits = new EnumMap<>(Problem.Rule.class);
        int accepted = 0;
        for (int number = 0; number < MUTANTS; number++) {
            byte[] mutant = mutate(VALID.get(random.nextInt(VALID.size())));
            long start = threads.getCurrentThreadCpuTime();
            String mark = "seed " + SEED + ", mutant " + number;
            try {
                RuntimeConfig config = RuntimeConfigLoader.standard().parse(mutant, "fuzz");
                accepted++;
                assertJson(mutant, mark);
                assertRendersAlike(config, mark);
            } catch (RefusedException refusal) {
                assertThat(refusal.problems()).as(mark).isNotEmpty().hasSizeLessThanOrEqualTo(RefusedException.SHOWN);
                assertThat(refusal.getMessage()).as(mark).matches("[ -~\\n]*");
                assertReadAlike(mutant, refusal.problems().get(0), mark);
                EnumSet<Problem.Rule> rules = EnumSet.noneOf(Problem.Rule.class);
                refusal.problems().forEach(problem -> rules.add(problem.rule()));
                rules.forEach(rule -> hits.merge(rule, 1, Integer::sum));
            } catch (RuntimeException | Error e) {
                throw new AssertionError(mark + " escaped", e);
            }
            assertThat(threads.getCurrentThreadCpuTime() - start).as(mark).isLessThan(SECOND);
        }
        assertThat(accepted).isGreaterThanOrEqualTo(MUTANTS / 20);
        for (Problem.Rule rule : OF_DOCUMENTS) {
            assertThat(hits.getOrDefault(rule, 0)).as("mutants that hit " + rule).isGreaterThanOrEqualTo(100);
        }
    }

    private static void assertJson(byte[] mutant, String mark) {
        assertThat(Rfc8259.fault(new String(mutant, StandardCharsets.UTF_8))).as(mark).isEqualTo(Rfc8259.NONE);
    }

    /** What is refused for its syntax is no JSON from that line on; what is refused for more than that is JSON. */
    private static void assertReadAlike(byte[] mutant, Problem first, String mark) {
        switch (first.rule()) {
            case FILE_TOO_BIG, FILE_EMPTY, ENCODING, LIMIT -> {
                // Never read to its end.
            }
            case SYNTAX, TRAILING -> {
                String text = new String(mutant, StandardCharsets.UTF_8);
                int fault = Rfc8259.fault(text);
                // JSON has keys with half a character; here they are refused, before what follows.
                if (!first.message().contains("half a character")) {
                    assertThat(fault).as(mark).isNotEqualTo(Rfc8259.NONE);
                    assertThat(new JsonSource(text).place(fault)).as(mark).startsWith(first.line() + ":");
                }
            }
            default -> assertJson(mutant, mark);
        }
    }

    private static void assertRendersAlike(RuntimeConfig config, String mark) {
        JsonNode policy = Cases.parse(
                PolicyDocuments.render(config.egressAllow(), config.workloadArgv().get(0)).json());
        Set<String> rendered = new LinkedHashSet<>();
        for (JsonNode endpoint : policy.path("network_policies").path("workload_egress").path("endpoints")) {
            endpoint.get("ports").forEach(port -> rendered.add(endpoint.get("host").asText() + ":" + port.asInt()));
        }
        assertThat(rendered).as(mark).containsExactlyElementsOf(
                config.egressAllow().rules().stream().map(EgressRule::toString).toList());
    }

    private byte[] mutate(String valid) {
        String text = valid;
        int rounds = 1 + random.nextInt(2);
        for (int i = 0; i < rounds; i++) {
            switch (random.nextInt(20)) {
                case 0 -> text = respace(text);
                case 1 -> text = text.replace("example", random.nextBoolean() ? "EXAMPLE" : "eXample");
                case 2 -> text = swapTokens(text);
                case 3 -> text = addMember(text, pick(KEYS), pick(VALUES));
                case 4 -> text = replaceToken(text, "\"" + Text.escaped(pick(ENTRIES)).replace("\"", "\\\"") + "\"");
                case 5 -> text = replaceToken(text, pick(VALUES));
                case 6, 7 -> text = entry(text);
                case 8 -> text = cut(text);
                case 9 -> text = text + pick(List.of(" ", "\n", "x", "{}", ",", "\u00a0"));
                case 10 -> text = replaceToken(text, tooMuch());
                case 11 -> text = manyEntries(text);
                case 12 -> text = foldKey(text);
                case 13 -> text = random.nextInt(4) == 0 ? pick(List.of("", " ", "\n\t", "[]", "null", "7", "\"x\"")) : text;
                case 14 -> {
                    return flip(text.getBytes(StandardCharsets.UTF_8));
                }
                case 15 -> text = lookAlike(text);
                case 16, 17 -> text = insertAnyCharacter(text);
                case 18 -> text = exchangeHexDigit(text);
                default -> text = text.replaceFirst("\\[\"([a-z]+).example.com", "[\"$1.EXAMPLE.com\",\"$1.example.com");
            }
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        // Rarely, since each takes a megabyte.
        return random.nextInt(500) == 0 ? Arrays.copyOf(bytes, ConfigFile.MAX_BYTES + 1) : bytes;
    }

    private <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    private String respace(String text) {
        return text.replace(",", pick(List.of(",", " ,\n", "\t,\r\n", ", "))).replace(":[", pick(List.of(":[", ": [", " :\r[")));
    }

    private List<int[]> tokens(String text) {
        Matcher matcher = Pattern.compile("\"(?>[^\"\\\\]++|\\\\.)*+\"|[\\[\\]{}:,]|[^\\s\\[\\]{}:,\"]+").matcher(text);
        return matcher.results().map(result -> new int[] {result.start(), result.end()}).toList();
    }

    private String swapTokens(String text) {
        if (tokens(text).isEmpty()) {
            return text;
        }
        int[] one = pick(tokens(text));
        int[] two = pick(tokens(text));
        if (one[1] > two[0]) {
            return text;
        }
        return text.substring(0, one[0]) + text.substring(two[0], two[1]) + text.substring(one[1], two[0])
                + text.substring(one[0], one[1]) + text.substring(two[1]);
    }

    private String replaceToken(String text, String with) {
        List<int[]> tokens = tokens(text);
        if (tokens.isEmpty()) {
            return text;
        }
        int[] token = pick(tokens);
        return text.substring(0, token[0]) + with + text.substring(token[1]);
    }

    private static String addMember(String text, String key, String value) {
        int brace = text.indexOf('{');
        return brace < 0 ? text : text.substring(0, brace + 1) + "\"" + key + "\":" + value + "," + text.substring(brace + 1);
    }

    /** Puts an entry of the table, or one a character off, into the allowlist. */
    private String entry(String text) {
        String entry = random.nextInt(50) == 0 ? "a.".repeat(122 + random.nextInt(10)) + "com" : pick(ENTRIES);
        if (random.nextInt(4) == 0 && !entry.isEmpty()) {
            int at = random.nextInt(entry.length());
            entry = entry.substring(0, at) + pick(List.of(".", "-", "*", ":", "/", "@", "_", "\u200b", "0")) + entry.substring(at);
        }
        String json = "\"" + Text.escaped(entry.replace("\\", "\\\\").replace("\"", "\\\"")) + "\"";
        int list = text.indexOf("\"egressAllow\"");
        int bracket = list < 0 ? -1 : text.indexOf('[', list);
        if (bracket < 0) {
            return addMember(text, "egressAllow", "[" + json + "]");
        }
        boolean empty = text.startsWith("]", bracket + 1);
        return text.substring(0, bracket + 1) + json + (empty ? "" : ",") + text.substring(bracket + 1);
    }

    private String cut(String text) {
        return text.substring(0, random.nextInt(text.length() + 1));
    }

    private String tooMuch() {
        return switch (random.nextInt(20)) {
            case 0 -> "\"" + "x".repeat(131_073) + "\"";
            case 1 -> "[" + "0,".repeat(20_000) + "0]";
            case 2 -> "9".repeat(65);
            case 3 -> "{\"" + "k".repeat(129) + "\":1}";
            case 4 -> "[\"/a\",\"" + "x".repeat(32_769) + "\"]";
            default -> "[".repeat(9) + "]".repeat(9);
        };
    }

    private String manyEntries(String text) {
        if (random.nextInt(10) != 0) {
            return text;
        }
        StringBuilder entries = new StringBuilder("[");
        for (int i = 0; i < 129; i++) {
            entries.append("\"h").append(i).append(".example.com\",");
        }
        return addMember(text.replace("egressAllow", "owner"), "egressAllow", entries + "\"x.example.com\"]");
    }

    private String foldKey(String text) {
        return text.replace("workloadArgv", pick(List.of("workloadargv", "workload_argv", "WorkloadArgv", "\\u0077orkloadArgv")));
    }

    private String lookAlike(String text) {
        String from = pick(List.of("a", "e", "o", "w", "."));
        int at = text.indexOf(from, random.nextInt(Math.max(1, text.length())));
        String to = Map.of("a", "\u0430", "e", "\u0435", "o", "\u03bf", "w", "\uff57", ".", "\u3002").get(from);
        return at < 0 ? text : text.substring(0, at) + to + text.substring(at + 1);
    }

    /** A character of any plane. */
    private String anyCharacter() {
        int plane = random.nextInt(4) == 0 ? random.nextInt(17) : 0;
        int inPlane = random.nextInt(1 << (plane == 0 ? 8 + random.nextInt(9) : 16));
        int codePoint = plane << 16 | inPlane;
        return Character.toString(codePoint >= 0xD800 && codePoint < 0xE000 ? codePoint & 0xFF : codePoint);
    }

    private String insertAnyCharacter(String text) {
        int at = random.nextInt(text.length() + 1);
        return text.substring(0, at) + anyCharacter() + text.substring(at);
    }

    /** Exchanges a digit of an escape for any character, or for one of another block with the same low byte. */
    private String exchangeHexDigit(String text) {
        List<int[]> escapes = Pattern.compile("\\\\u[0-9A-Fa-f]{4}").matcher(text).results()
                .map(result -> new int[] {result.start(), result.end()}).toList();
        if (escapes.isEmpty()) {
            return insertAnyCharacter(text);
        }
        int at = pick(escapes)[0] + 2 + random.nextInt(4);
        String alike = Character.toString(text.charAt(at) | 0x100 << random.nextInt(5));
        return text.substring(0, at) + (random.nextBoolean() ? alike : anyCharacter()) + text.substring(at + 1);
    }

    private byte[] flip(byte[] bytes) {
        for (int i = 0; bytes.length > 0 && i <= random.nextInt(3); i++) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return bytes;
    }

    @Test
    @DisplayName("what 20,000 documents hold is located where it stands")
    void values_areLocated() {
        int read = 0;
        for (int number = 0; number < 20_000; number++) {
            String text = new String(mutate(VALID.get(random.nextInt(VALID.size()))), StandardCharsets.UTF_8);
            try {
                assertOffsets(JsonReader.read(text, JsonReader.Limits.CONFIG), text);
                read++;
            } catch (JsonReader.Unreadable e) {
                assertThat(e.offset).isBetween(0, text.length());
            }
        }
        assertThat(read).isGreaterThan(5_000);
    }

    private static void assertOffsets(JsonValue value, String text) {
        String starts = switch (value.kind()) {
            case OBJECT -> "{";
            case ARRAY -> "[";
            case STRING -> "\"";
            case NUMBER -> "-0123456789";
            case BOOLEAN -> "tf";
            case NULL -> "n";
        };
        assertThat(starts).as(text).contains(text.substring(value.offset(), value.offset() + 1));
        value.items().forEach(item -> assertOffsets(item, text));
        for (JsonValue.Member member : value.members()) {
            assertThat(text.charAt(member.offset())).isEqualTo('"');
            assertOffsets(member.value(), text);
        }
    }
}
