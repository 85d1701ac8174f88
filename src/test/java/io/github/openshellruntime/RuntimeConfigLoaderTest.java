// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RuntimeConfigLoader")
class RuntimeConfigLoaderTest {

    private static final String ARGV = "\"workloadArgv\":[\"/usr/bin/agent\"]";
    private static final String SHA512 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
            + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    private static RuntimeConfig parse(String json) {
        return RuntimeConfigLoader.standard().parse(json.getBytes(StandardCharsets.UTF_8), "test.json");
    }

    private static RefusedException refusal(String json) {
        RefusedException refusal = Refusals.of(() -> parse(json));
        assertThat(refusal).as(json).isNotNull();
        assertThat(refusal.code()).isEqualTo(RefusedException.Code.SCHEMA_INVALID);
        assertThat(refusal).hasNoCause();
        return refusal;
    }

    @Test
    @DisplayName("the smallest config has the documented defaults")
    void parse_defaults() {
        RuntimeConfig config = parse("{" + ARGV + "}");

        assertThat(config.workloadArgv()).containsExactly("/usr/bin/agent");
        assertThat(config.egressAllow().isEmpty()).isTrue();
        assertThat(config.image()).isEmpty();
        assertThat(config.gateway()).isEmpty();
        assertThat(config.workspace()).isEmpty();
        assertThat(config.owner()).isEmpty();
        assertThat(config.policyDir()).isEmpty();
        assertThat(config.openshellPath()).isEmpty();
        assertThat(config.createTimeout()).isEqualTo(Duration.ofSeconds(600));
        assertThat(config.execTimeout()).isEqualTo(Duration.ofSeconds(120));
    }

    @Test
    @DisplayName("every key arrives, and the builder gives the same config")
    void parse_everyKey() {
        RuntimeConfig config = parse("""
                {"workloadArgv": ["/usr/bin/agent", "--serve", ""], "egressAllow": ["B.example.com", "a.example.com:8443"],
                 "image": "registry.example.com:5000/team/agent:1", "policyDir": "/run/policies", "openshellPath": "/o",
                 "gateway": "G.1", "workspace": "w_1", "owner": "d-1", "createTimeoutSeconds": 1,
                 "execTimeoutSeconds": 86400}""");
        RuntimeConfig built = RuntimeConfig.builder(List.of("/usr/bin/agent", "--serve", ""))
                .egressAllow(List.of("a.example.com:8443", "b.example.com:443"))
                .image("registry.example.com:5000/team/agent:1").policyDir(Path.of("/run/policies"))
                .openshellPath(Path.of("/o")).gateway("G.1").workspace("w_1").owner("d-1")
                .createTimeout(Duration.ofSeconds(1)).execTimeout(Duration.ofHours(24)).build();

        assertThat(config).isEqualTo(built).hasSameHashCodeAs(built);
        assertThat(config.workloadArgv()).containsExactly("/usr/bin/agent", "--serve", "");
        assertThat(config.egressAllow().rules()).map(EgressRule::toString)
                .containsExactly("a.example.com:8443", "b.example.com:443");
        assertThat(config.image()).contains("registry.example.com:5000/team/agent:1");
        assertThat(config.policyDir()).contains(Path.of("/run/policies"));
        assertThat(config.openshellPath()).contains(Path.of("/o"));
        assertThat(config.gateway()).contains("G.1");
        assertThat(config.workspace()).contains("w_1");
        assertThat(config.owner()).contains("d-1");
        assertThat(config.createTimeout()).isEqualTo(Duration.ofSeconds(1));
        assertThat(config.execTimeout()).isEqualTo(Duration.ofSeconds(86_400));
        assertThat(config).isNotEqualTo(parse("{" + ARGV + "}"));
        assertThat(config.toString()).doesNotContain("serve", "team", "d-1");
    }

    @ParameterizedTest(name = "RT-01, RT-05, D-80 {0} is denied, named, and told what to use instead")
    @ValueSource(strings = {"network", "networkMode", "hostNetwork", "netns", "driverConfig", "driverConfigJson", "NETWORK",
        "network_mode", "network-mode", "Host-Network", "host_network_", "NET-NS", "driver_config_json", "DriverConfigJSON",
        "--driver-config-json", "_n_e_t_n_s_"})
    void deniedKey_isNamed(String key) {
        for (String value : List.of("null", "false", "\"\"", "{}", "[]", "0")) {
            RefusedException refusal = refusal("{" + ARGV + ",\"" + key + "\":" + value + "}");
            assertThat(Refusals.places(refusal)).containsExactly("DENIED_KEY /" + key + " 1:36");
            assertThat(refusal.problems().get(0).message()).contains(key).contains(" it would ");
            assertThat(refusal.problems().get(0).hint()).isNotEmpty();
        }
    }

    @Test
    @DisplayName("RT-01, D-80 denied keys are found at every depth, below unknown and denied keys and wrong types")
    void deniedKey_atEveryDepth() {
        assertThat(Refusals.summary(refusal("{\"a\":[{\"b\":{\"netns\":{\"hostNetwork\":1}}}],\"owner\":{\"network\":1},"
                + "\"networkMode\":{\"driver-config\":[{\"NETNS\":0}]}}"))).containsExactly(
                "DENIED_KEY /a/0/b/netns", "DENIED_KEY /a/0/b/netns/hostNetwork", "DENIED_KEY /owner/network",
                "DENIED_KEY /networkMode", "DENIED_KEY /networkMode/driver-config",
                "DENIED_KEY /networkMode/driver-config/0/NETNS", "UNKNOWN_KEY /a", "REQUIRED /workloadArgv", "TYPE /owner");
    }

    @Test
    @DisplayName("RT-01 escaped names are decoded before they are compared")
    void deniedKey_escaped() {
        assertThat(Refusals.summary(refusal("{" + ARGV + ",\"netw\\u006frk\":1}"))).containsExactly("DENIED_KEY /network");
        assertThat(Refusals.summary(refusal("{" + ARGV + ",\"\\u0077orkloadArgv\":1}")))
                .containsExactly("DUPLICATE_KEY /workloadArgv");
    }

    @ParameterizedTest(name = "R58 a look-alike is an unknown key and never made valid: {0}")
    @ValueSource(strings = {"network\uFF2Dode", "n\u0435twork", "net\u200bwork", "network\u200d", "\u212Aey", "netns\u0301",
        "workloadArgv\u200b", "\uFF57orkloadArgv", "owner\u00a0", "\u202eowner", "İmage", "ımage"})
    void lookAlike_isUnknown(String key) {
        RefusedException refusal = refusal("{" + ARGV + ",\"" + key + "\":1}");

        assertThat(Refusals.summary(refusal)).containsExactly("UNKNOWN_KEY /" + key);
        assertThat(refusal.getMessage()).matches("[ -~\\n]*").contains("\\u");
    }

    @ParameterizedTest(name = "R56 \"{0}\" suggests \"{1}\"")
    @CsvSource({"egresAllow,egressAllow", "egress_allow,egressAllow", "egress-allow,egressAllow", "EGRESSALLOW,egressAllow",
        "workloadargv,workloadArgv", "workload_argv,workloadArgv", "wrokloadArgv,workloadArgv", "iamge,image", "images,image",
        "ownr,owner", "woner,owner", "policydirectory,", "policy_dir,policyDir", "openshell-path,openshellPath",
        "gatway,gateway", "work_space,workspace", "createTimeout,", "createTimeoutSecond,createTimeoutSeconds",
        "exec_timeout_seconds,execTimeoutSeconds", "execTimeoutSeconds_,execTimeoutSeconds", "netwrk,", "networkModee,",
        "foo,", "x,", "'',", "argv,", "__proto__,", "class,", "@type,"})
    void suggestion_isNearOrNone(String key, String suggested) {
        RefusedException refusal = refusal("{" + ARGV + ",\"" + (key == null ? "" : key) + "\":1}");

        assertThat(refusal.problems()).hasSize(1);
        assertThat(refusal.problems().get(0).rule()).isEqualTo(Problem.Rule.UNKNOWN_KEY);
        assertThat(refusal.problems().get(0).hint())
                .isEqualTo(suggested == null ? "" : "did you mean \"" + suggested + "\"?");
        assertThat(refusal.problems().get(0).message()).contains("workloadArgv, egressAllow, image");
    }

    @Test
    @DisplayName("a swap of neighbours is one edit")
    void distance_isDamerau() {
        assertThat(ConfigKeySuggestion.distance("", "")).isZero();
        assertThat(ConfigKeySuggestion.distance("abc", "")).isEqualTo(3);
        assertThat(ConfigKeySuggestion.distance("", "ab")).isEqualTo(2);
        assertThat(ConfigKeySuggestion.distance("abcd", "abdc")).isEqualTo(1);
        assertThat(ConfigKeySuggestion.distance("ba", "ab")).isEqualTo(1);
        assertThat(ConfigKeySuggestion.distance("kitten", "sitting")).isEqualTo(3);
        assertThat(ConfigKeySuggestion.distance("ca", "abc")).isEqualTo(3);
    }

    @Test
    @DisplayName("duplicates say where the first stands; only the first value is checked")
    void duplicateKey_saysWhereTheFirstStands() {
        RefusedException refusal = refusal("{" + ARGV + ",\n \"zzz\":1,\n \"zzz\":2, \"workloadArgv\":7, \"netns\":1,\"netns\":2}");

        assertThat(Refusals.places(refusal)).containsExactly("DENIED_KEY /netns 3:29", "DENIED_KEY /netns 3:39",
                "DUPLICATE_KEY /zzz 3:2", "DUPLICATE_KEY /workloadArgv 3:11", "DUPLICATE_KEY /netns 3:39",
                "UNKNOWN_KEY /zzz 2:2");
        assertThat(refusal.problems().get(2).message()).contains("2:2");
        assertThat(refusal.problems().get(3).message()).contains("1:2");
        assertThat(Refusals.summary(refusal("{" + ARGV + ",\"owner\":7,\"owner\":\"fine\"}")))
                .containsExactly("DUPLICATE_KEY /owner", "TYPE /owner");
    }

    @Test
    @DisplayName("duplicates are looked for in the root alone")
    void duplicateKey_inTheRootAlone() {
        assertThat(Refusals.summary(refusal("{" + ARGV + ",\"zzz\":{\"a\":1,\"a\":2}}"))).containsExactly("UNKNOWN_KEY /zzz");
    }

    @Test
    @DisplayName("RT-01 everything wrong is reported at once, in a fixed order")
    void report_hasEverything() {
        RefusedException refusal = refusal("""
                {"createTimeoutSeconds": "5", "zzz": 1, "networkMode": "host", "zzz": 2,
                 "egressAllow": ["*", "api.example.com", "10.0.0.1", "API.example.com:443", 7],
                 "image": "x", "owner": null}""");

        assertThat(Refusals.places(refusal)).containsExactly("DENIED_KEY /networkMode 1:41", "DUPLICATE_KEY /zzz 1:64",
                "UNKNOWN_KEY /zzz 1:31", "REQUIRED /workloadArgv 0:0", "TYPE /createTimeoutSeconds 1:26",
                "WILDCARD /egressAllow/0 2:18", "IP_LITERAL /egressAllow/2 2:42", "DUPLICATE /egressAllow/3 2:54",
                "TYPE /egressAllow/4 2:77", "VALUE /image 3:11", "TYPE /owner 3:25");
        assertThat(refusal.getMessage().lines()).hasSize(12).first().isEqualTo("test.json: 11 problems");
        assertThat(refusal.getMessage().lines().toList().get(1)).matches("1:41  /networkMode  DENIED_KEY  .* \\(.*\\)");
        assertThat(refusal.getMessage().lines().toList().get(4)).startsWith("0:0  /workloadArgv  REQUIRED  ");
        assertThat(refusal.problems().get(7).message()).contains("entry 1");
    }

    @Test
    @DisplayName("at most 20 problems are shown and the rest is counted")
    void report_isCut() {
        String unknown = IntStream.range(0, 60).mapToObj(i -> "\"k" + i + "\":1").collect(Collectors.joining(","));
        RefusedException refusal = refusal("{" + unknown + ",\"netns\":1}");

        assertThat(refusal.problems()).hasSize(20);
        assertThat(refusal.omitted()).isEqualTo(42);
        assertThat(refusal.problems().get(0).rule()).isEqualTo(Problem.Rule.DENIED_KEY);
        assertThat(refusal.getMessage()).startsWith("test.json: 62 problems, the first 20 shown\n");
        assertThat(refusal.getMessage().lines()).hasSize(21);
        assertThat(refusal("{}").omitted()).isZero();
        assertThat(refusal("{}").getMessage()).startsWith("test.json: 1 problem\n0:0  /workloadArgv  REQUIRED  ");
    }

    @Test
    @DisplayName("rules of the file stand alone")
    void fileRules_standAlone() {
        assertThat(Refusals.places(refusal("{\"netns\":1,\"zzz\":2,}"))).containsExactly("SYNTAX  1:20");
        assertThat(Refusals.places(refusal("[{\"netns\":1}]"))).containsExactly("ROOT_TYPE  1:1");
        assertThat(Refusals.places(refusal("{\"netns\":1} x"))).containsExactly("TRAILING  1:13");
        assertThat(refusal("{\"netns\":1} x").getMessage()).contains("\n1:13  \"\"  TRAILING  ");
        assertThat(Refusals.places(refusal(" "))).containsExactly("FILE_EMPTY  0:0");
        assertThat(Refusals.places(refusal("\ufeff"))).containsExactly("ENCODING  0:0");
    }

    @Test
    @DisplayName("FILE_TOO_BIG holds for parse: 1,048,576 bytes are taken, one more is not")
    void parse_isBounded() {
        String document = "{" + ARGV + "}";
        String padded = document + " ".repeat(1_048_576 - document.length());

        assertThat(parse(padded).workloadArgv()).hasSize(1);
        assertThat(Refusals.places(refusal(padded + " "))).containsExactly("FILE_TOO_BIG  0:0");
        assertThat(Refusals.places(refusal(" ".repeat(1_048_577)))).containsExactly("FILE_TOO_BIG  0:0");
    }

    @Test
    @DisplayName("a replacement character that was written is text, one that decoding would put there is ENCODING")
    void replacementCharacter_isText() {
        String document = "{\"workloadArgv\":[\"/usr/bin/agent\",\"a\ufffdb\\ufffd\"]}";
        byte[] bytes = document.getBytes(StandardCharsets.UTF_8);

        assertThat(parse(document).workloadArgv().get(1)).isEqualTo("a\ufffdb\ufffd");
        bytes[bytes.length - 4] = (byte) 0xff;
        assertThat(Refusals.of(() -> RuntimeConfigLoader.standard().parse(bytes, "test")).problems()).singleElement()
                .satisfies(problem -> assertThat(problem.rule()).isEqualTo(Problem.Rule.ENCODING))
                .satisfies(problem -> assertThat(problem.message()).isEqualTo("byte " + (bytes.length - 4) + " is not UTF-8"));
    }

    @Test
    @DisplayName("everything that is wrong with workloadArgv is said at once, the whole of it before its elements")
    void argv_saysEverything() {
        String long32 = "\"" + "x".repeat(32_768) + "\",";
        RefusedException refusal = refusal("{\"workloadArgv\":[7," + "\"\\u0000\"," + long32.repeat(8) + "\"\",".repeat(250) + "\"y\"]}");

        assertThat(Refusals.summary(refusal)).containsExactly("VALUE /workloadArgv", "VALUE /workloadArgv", "TYPE /workloadArgv/0",
                "VALUE /workloadArgv/1");
        assertThat(refusal.problems().get(0).message()).isEqualTo("has 261 elements; at most 256 are taken");
        assertThat(refusal.problems().get(1).message()).isEqualTo("has 262146 bytes of UTF-8 together; at most 262144 are taken");
        assertThat(parse("{\"workloadArgv\":[\"/a\"," + long32.repeat(7) + "\"" + "x".repeat(32_766) + "\"]}").workloadArgv()).hasSize(9);
        assertThat(Refusals.summary(refusal("{\"workloadArgv\":[1]}"))).containsExactly("TYPE /workloadArgv/0");
    }

    static Stream<String> deepDocuments() {
        return Stream.of("[".repeat(100_000), "{\"a\":".repeat(100_000), "[".repeat(100_000) + "]".repeat(100_000),
                "{\"a\":[".repeat(50_000), "{\"workloadArgv\":" + "[".repeat(100_000));
    }

    @ParameterizedTest(name = "R60 depth 100,000 is LIMIT at the ninth level")
    @MethodSource("deepDocuments")
    void depth_isBounded(String document) {
        RefusedException refusal = refusal(document);

        assertThat(refusal.problems()).hasSize(1);
        assertThat(refusal.problems().get(0).rule()).isEqualTo(Problem.Rule.LIMIT);
        assertThat(refusal.problems().get(0).column()).isLessThan(60);
    }

    @Test
    @DisplayName("limits are exact: string, key, number, tokens")
    void limits_areExact() {
        assertThat(Refusals.summary(refusal("{" + ARGV + ",\"z\":\"" + "\\u0061".repeat(131_072) + "\"}")))
                .containsExactly("UNKNOWN_KEY /z");
        assertThat(Refusals.places(refusal("{" + ARGV + ",\"z\":\"" + "a".repeat(131_073) + "\"}")))
                .containsExactly("LIMIT  1:40");
        assertThat(Refusals.places(refusal("{" + ARGV + ",\"" + "\\n".repeat(129) + "\":1}"))).containsExactly("LIMIT  1:36");
        assertThat(Refusals.places(refusal("{" + ARGV + ",\"z\":-" + "1".repeat(64) + "}"))).containsExactly("LIMIT  1:40");
        // { workloadArgv [ agent ] z [ are 7 tokens, ] } are 2.
        assertThat(Refusals.summary(refusal("{" + ARGV + ",\"z\":[" + "1,".repeat(19_990) + "1]}")))
                .containsExactly("UNKNOWN_KEY /z");
        assertThat(Refusals.summary(refusal("{" + ARGV + ",\"z\":[" + "1,".repeat(19_991) + "1]}"))).containsExactly("LIMIT ");
    }

    @Test
    @DisplayName("a limit that is met before a fault comes first, also inside the string that has the fault")
    void limit_beforeFault() {
        assertThat(Refusals.places(refusal("{\"z\":\"" + "a".repeat(131_073) + "\\x\"}"))).containsExactly("LIMIT  1:6");
        assertThat(Refusals.places(refusal("{\"z\":\"" + "a".repeat(131_072) + "\\x\"}"))).containsExactly("SYNTAX  1:131080");
        assertThat(Refusals.summary(refusal("[[[[[[[[[x"))).containsExactly("LIMIT ");
        assertThat(Refusals.places(refusal("[[[[[[[[x"))).containsExactly("SYNTAX  1:9");
    }

    @ParameterizedTest(name = "SYNTAX points to the fault: {0} at {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "{\"a\":tru|1:6", "{\"a\":nul}|1:6", "{\"a\":True}|1:6", "{\"a\":truely}|1:6", "{\"a\":undefined}|1:6", "nulL|1:1",
        "{\"a\":\"b|1:8", "{\"a\"|1:5", "{\"a\":|1:6", "{\"a\":1|1:7", "{|1:2", "[|1:2", "[1,|1:4", "{\"a|1:4",
        "{\"a\":\"\\|1:8", "{\"a\":\"\\q\"}|1:8", "{\"a\":\"\\u12G4\"}|1:11", "{\"a\":\"\\u123|1:12", "{\"a\":\"\\u\"}|1:9",
        "{\"a\" 1}|1:6", "{\"a\":1 \"b\":2}|1:8", "{\"a\":1,}|1:8", "[1,,2]|1:4", "[,1]|1:2", "{,}|1:2", "[1}|1:3", "{\"a\":1]|1:7",
        "{1:2}|1:2", "{null:1}|1:2", "[1;2]|1:3", "{\"a\":'b'}|1:6", "[1 2]|1:4", "[\"a\" \"b\"]|1:6", "+1|1:1", "]|1:1", "}|1:1",
        ":|1:1", ",|1:1", "?|1:1", "[/*x*/]|1:2", "[1//x|1:3", "[#|1:2", "[1]x|1:4"})
    void syntax_pointsToTheFault(String document, String place) {
        Problem problem = refusal(document).problems().get(0);

        assertThat(problem.rule()).isIn(Problem.Rule.SYNTAX, Problem.Rule.TRAILING);
        assertThat(problem.line() + ":" + problem.column()).isEqualTo(place);
        assertThat(refusal(document).problems()).hasSize(1);
    }

    @Test
    @DisplayName("SYNTAX points to raw controls and to the right line behind any line end")
    void syntax_countsLines() {
        assertThat(Refusals.places(refusal("{\"a\":\"b\tc\"}"))).containsExactly("SYNTAX  1:8");
        assertThat(Refusals.places(refusal("{\"a\":\"b\u0001\"}"))).containsExactly("SYNTAX  1:8");
        assertThat(Refusals.places(refusal("{\r\n\"a\":\r1,\n\n,"))).containsExactly("SYNTAX  5:1");
        assertThat(Refusals.places(refusal("{\u2028\"a\":1}"))).containsExactly("SYNTAX  1:2");
        assertThat(Refusals.places(refusal("{\f\"a\":1}"))).containsExactly("SYNTAX  1:2");
        assertThat(Refusals.places(refusal("{\r\n \"a\":1,\r\n \"b\":2,\r\n \"c\":3,}"))).containsExactly("SYNTAX  4:8");
    }

    @ParameterizedTest(name = "SYNTAX explains itself: {0} says \"{1}\"")
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {"{//|comments are not JSON", "[#|comments are not JSON",
        "{'a':1}|double quotes", "[1,]|remove the comma", "{\"a\":1, }|remove the comma", "name: value|is this YAML?", "---|",
        "[1|an array is not closed", "{\"a\":1|an object is not closed", "{\"a|a key is not closed", "[\"a|a string is not closed"})
    void syntax_explains(String document, String words) {
        assertThat(refusal(document).problems().get(0).toString()).contains(words == null ? "" : words);
    }

    @ParameterizedTest(name = "half a character in a key is SYNTAX with every Jackson: {0}")
    @ValueSource(strings = {"{\"\\ud800\":1}", "{\"a\\ud800x\":1}", "{\"\\ud800\\ud800\\udc00\":1}", "{\"\\udc00\":1}",
        "{\"\\ud83d\\ude00\\udc00\":1}", "{\"z\":1,\"\\ud800\\n\":1}"})
    void key_withHalfACharacter(String document) {
        Problem problem = refusal(document).problems().get(0);

        assertThat(problem.rule()).isEqualTo(Problem.Rule.SYNTAX);
        assertThat(problem.line()).isEqualTo(1);
        assertThat(problem.message()).isEqualTo("half a character in a key");
    }

    @Test
    @DisplayName("long paths of many segments do not overflow the stack")
    void paths_ofManySegments() {
        assertThat(parse("{\"workloadArgv\":[\"" + "/a".repeat(2_047) + "\"]}").workloadArgv().get(0)).hasSize(4_094);
        assertThat(parse("{" + ARGV + ",\"image\":\"" + "a/".repeat(511) + "a\"}").image()).isPresent();
        assertThat(parse("{" + ARGV + ",\"image\":\"" + "a.".repeat(510) + "a/b\"}").image()).isPresent();
        assertThat(Refusals.summary(refusal("{" + ARGV + ",\"image\":\"" + "a.".repeat(511) + "/\"}")))
                .containsExactly("VALUE /image");
    }

    @ParameterizedTest(name = "R55 lenient JSON is refused: {0}")
    @ValueSource(strings = {"{\"workloadArgv\":[\"/usr/bin/agent\"],}", "{'workloadArgv':[]}", "{workloadArgv:[]}", "NaN",
        "{\"a\":.5}", "{\"a\":5.}", "{\"a\":1e}", "{\"a\":-}", "{\"a\":+1}", "{\"a\":0x1}", "{\"a\":-01}", "{\"a\":Infinity}",
        "\"a\":1", "{\"a\":1}{}", "{\"a\":1},", "{\"a\":\"\\'\"}", "{\"a\":\"\\a\"}", "{\"a\":1;}", "(1)"})
    void lenient_isRefused(String document) {
        assertThat(refusal(document).problems()).hasSize(1);
        assertThat(refusal(document).problems().get(0).rule()).isIn(Problem.Rule.SYNTAX, Problem.Rule.TRAILING);
        assertThat(refusal(document).problems().get(0).line()).isEqualTo(1);
    }

    @ParameterizedTest(name = "R54 types do not bend: createTimeoutSeconds {0} is {1}")
    @CsvSource({"\"8443\",TYPE", "1.0,TYPE", "1e1,TYPE", "1E1,TYPE", "true,TYPE", "null,TYPE", "[],TYPE", "{},TYPE", "-0,VALUE",
        "0,VALUE", "86401,VALUE", "4294967297,VALUE", "18446744073709551617,VALUE", "-1,VALUE", "1e400,TYPE", "0.5,TYPE"})
    void types_doNotBend(String value, String rule) {
        assertThat(Refusals.summary(refusal("{" + ARGV + ",\"createTimeoutSeconds\":" + value + "}")))
                .containsExactly(rule + " /createTimeoutSeconds");
    }

    @ParameterizedTest(name = "null is TYPE for every key: {0}")
    @ValueSource(strings = {"workloadArgv", "egressAllow", "image", "policyDir", "openshellPath", "gateway", "workspace",
        "owner", "createTimeoutSeconds", "execTimeoutSeconds"})
    void null_isType(String key) {
        String argv = key.equals("workloadArgv") ? "" : ARGV + ",";
        assertThat(Refusals.summary(refusal("{" + argv + "\"" + key + "\":null}"))).containsExactly("TYPE /" + key);
    }

    @ParameterizedTest(name = "D-79, RT-01 workloadArgv[0] is refused: {0}")
    @ValueSource(strings = {"", "agent", "bin/agent", "./agent", "../agent", "~/agent", "$HOME/agent", "/", "//", "/usr/bin/",
        "//usr/bin/agent", "/usr//bin/agent", "/usr/./bin", "/usr/../bin", "/.", "/..", "/a/..", "/proc", "/proc/self/exe",
        "/sys", "/sys/a", "/run", "/run/a", "/var/run", "/var/run/a",
        "/dev", "/dev/fd/3", "/.openshell", "/.openshell/x", "/opt/openshell", "/opt/openshell/bin/x", "/**", "/usr/bin/*",
        "/a?b", "/a[b", "/a]b", "/{a}", "/a}", "/a\\\\b", "/a\\\"b", "/a b", "/a\\tb", "/a\\nb", "/a\\u007fb", "/a\\u00e9",
        "/a\\u0000", "/\\ud800", "C:/agent", " /agent", "/usr/bin/app (deleted)"})
    void workload_isPlain(String path) {
        RefusedException refusal = refusal("{\"workloadArgv\":[\"" + path + "\"]}");

        assertThat(Refusals.places(refusal)).containsExactly("VALUE /workloadArgv/0 1:18");
        assertThat(refusal.problems().get(0).message()).contains("absolute path");
    }

    @ParameterizedTest(name = "D-79 workloadArgv[0] is taken: {0}")
    @ValueSource(strings = {"/a", "/usr/bin/agent", "/runner", "/var/runs/a", "/var/a", "/system/a", "/a/run/b", "/procedure", "/proc2/x", "/devel/x", "/opt/openshell2/x", "/.openshellx",
        "/opt/open", "/a/...", "/a/.b", "/a/b..", "/!#", "/~", "/a:b", "/a=b", "/a,b;c&d|e<f>g", "/usr/bin/agent'x",
        "/$HOME/x", "/-rf", "/a@b%c+d^e`f(g)"})
    void workload_isTaken(String path) {
        assertThat(parse("{\"workloadArgv\":[\"" + path + "\"]}").workloadArgv()).containsExactly(path);
    }

    @Test
    @DisplayName("D-79 workloadArgv[0] has at most 4,095 bytes")
    void workload_isBounded() {
        assertThat(parse("{\"workloadArgv\":[\"/" + "x".repeat(4_094) + "\"]}").workloadArgv().get(0)).hasSize(4_095);
        assertThat(Refusals.summary(refusal("{\"workloadArgv\":[\"/" + "x".repeat(4_095) + "\"]}")))
                .containsExactly("VALUE /workloadArgv/0");
    }

    @ParameterizedTest(name = "image is taken: {0}")
    @ValueSource(strings = {"a:1", "a/b", "a@sha256:0000000000000000000000000000000000000000000000000000000000000000",
        "localhost/a", "localhost:5000/a", "host:1/a", "r.example.com/a", "R.Example.com/a", "a.b/c", "a/b/c/d:tag", "a__b/c", "a-b.c/d",
        "a---b/c", "x:latest", "x:_1", "a/b.tarx", "a/tar", "10.0.0.1:5000/a/b:c", "a/b@sha512:" + SHA512, "a.b:1", "a/b:5000", "host:65535/a",
        "a-b.example.com/a", "a/b:A._-", "x/a1.b__c-d--e/f", "localhost/a/b@sha256:0000000000000000000000000000000000000000000000000000000000000000"})
    void image_isTaken(String image) {
        assertThat(parse("{" + ARGV + ",\"image\":\"" + image + "\"}").image()).contains(image);
    }

    @ParameterizedTest(name = "image is refused: {0}")
    @ValueSource(strings = {"", "a", "a.b", "localhost", "a:", ":1", "a@", "@sha256:00", "A/b", "HOST/b", "a/B", "a//b", "/a/b", "a/b/", "a:1:2",
        "a_/b", "-a/b", "a/-b", "a/b:-1", "a/b:.1", "r.example.com:/a", "r.example.com:port/a", "r.example.com:123456/a", ".r/a",
        "r./a", "-r.example.com/a", "a/b@sha512:00", "a b/c", "a/b\\n", "a/b.tgz", "x.tar:1.tar", "a/b:x.TAR.GZ", "dockerfile/a", "a/my-dockerfile:1",
        "r.example.com/Dockerfile:1", "a:DOCKERFILE", "a/b@sha256:000000000000000000000000000000000000000000000000000000000000000",
        "a/b@sha256:00000000000000000000000000000000000000000000000000000000000000000",
        "a/b@sha256:000000000000000000000000000000000000000000000000000000000000000g", "a/b@sha512:" + SHA512 + "0", "a/b@md5:00", "a/b@" + SHA512,
        "a/b@SHA256:0000000000000000000000000000000000000000000000000000000000000000",
        "a/b@sha256:000000000000000000000000000000000000000000000000000000000000000A", "a..b/c", "a1.b__c/d", "a-.b/c", "a.-b/c", "a_b.c/d", "a.b./c",
        "host:0/a", "host:080/a", "host:65536/a", "host:1:2/a", "a___b/c", "a_.b/c", "a._b/c", "a.-b/c:1", "a/b..c", "a/_b", "a/b_", "r.example.com/",
        "r.example.com//a", "r.example.com/A", "[::1]:5000/a", "a/b:c/d", "a@b@c", "é/a", "a/b\\u0000"})
    void image_isRefused(String image) {
        assertThat(Refusals.summary(refusal("{" + ARGV + ",\"image\":\"" + image + "\"}"))).containsExactly("VALUE /image");
    }

    @ParameterizedTest(name = "an image says which part is wrong: {0}, the {1}")
    @CsvSource({"r..example.com/a,a host", "-r.example.com/a,a host", "a_b.c/d,a host", "r.example.com:99999/a,a port", "r.example.com:/a,a port",
        "host:x/a,a port", "r.example.com/A,a name", "a/b..c,a name", "a//b,a name", "a/b:,a tag", "a/b:.1,a tag", "a/b@sha256:00,a digest",
        "a/b@,a digest", "a,'a path, a tag or a digest'", "'','a path, a tag or a digest'", "a/b.tar,.tgz", "a/Dockerfile,dockerfile"})
    void image_saysWhichPart(String image, String part) {
        Problem problem = refusal("{" + ARGV + ",\"image\":\"" + image + "\"}").problems().get(0);

        assertThat(problem.message()).contains(part);
        assertThat(refusal("{" + ARGV + ",\"image\":\"" + "a/".repeat(512) + "b\"}").problems().get(0).message()).contains("1024 bytes");
    }

    @Test
    @DisplayName("an image has at most 1,024 bytes and a tag at most 128")
    void image_isBounded() {
        assertThat(parse("{" + ARGV + ",\"image\":\"a/" + "b".repeat(1_022) + "\"}").image()).isPresent();
        assertThat(parse("{" + ARGV + ",\"image\":\"a:" + "b".repeat(128) + "\"}").image()).isPresent();
        assertThat(Refusals.summary(refusal("{" + ARGV + ",\"image\":\"a/" + "b".repeat(1_023) + "\"}")))
                .containsExactly("VALUE /image");
        assertThat(Refusals.summary(refusal("{" + ARGV + ",\"image\":\"a:" + "b".repeat(129) + "\"}")))
                .containsExactly("VALUE /image");
    }

    @ParameterizedTest(name = "a path is refused: {0}")
    @ValueSource(strings = {"", "a", "./a", "~", "//", "/a//b", "/.", "/..", "/a/./b", "/a/../b", "/a/..", "/a\\u0000b", "/\\ud800"})
    void path_isRefused(String path) {
        for (String key : List.of("policyDir", "openshellPath")) {
            assertThat(Refusals.summary(refusal("{" + ARGV + ",\"" + key + "\":\"" + path + "\"}")))
                    .containsExactly("VALUE /" + key);
        }
    }

    @Test
    @DisplayName("a path is taken, up to 4,095 bytes of UTF-8")
    void path_isTaken() {
        for (String path : List.of("/", "/a", "/a b", "/é", "/a/", "/...", "/" + "x".repeat(4_094), "/" + "é".repeat(2_047))) {
            assertThat(parse("{" + ARGV + ",\"policyDir\":\"" + path + "\"}").policyDir()).contains(Path.of(path));
        }
        assertThat(Refusals.summary(refusal("{" + ARGV + ",\"policyDir\":\"/" + "x".repeat(4_095) + "\"}")))
                .containsExactly("VALUE /policyDir");
        assertThat(Refusals.summary(refusal("{" + ARGV + ",\"policyDir\":\"/a" + "é".repeat(2_047) + "\"}")))
                .containsExactly("VALUE /policyDir");
    }

    @ParameterizedTest(name = "{0} has at most {1} characters")
    @CsvSource({"gateway,253", "workspace,63", "owner,63"})
    void names_areBounded(String key, int most) {
        parse("{" + ARGV + ",\"" + key + "\":\"" + "a".repeat(most) + "\"}");
        parse("{" + ARGV + ",\"" + key + "\":\"0\"}");
        for (String bad : List.of("", "a".repeat(most + 1), "-a", ".a", "_a", "a b", "a/b", "a=b", "a,b", "é", "a\\n", "a\\u0000")) {
            RefusedException refusal = refusal("{" + ARGV + ",\"" + key + "\":\"" + bad + "\"}");
            assertThat(Refusals.summary(refusal)).containsExactly("VALUE /" + key);
            assertThat(refusal.problems().get(0).message()).contains("1 to " + most);
        }
    }

    @Test
    @DisplayName("an owner is in lower case and ends in a letter or digit; a gateway may be anything between")
    void names_haveTheirOwnEnds() {
        for (String bad : List.of("A", "aB", "a-", "a.", "a_")) {
            parse("{" + ARGV + ",\"gateway\":\"" + bad + "\",\"workspace\":\"" + bad + "\"}");
            assertThat(Refusals.summary(refusal("{" + ARGV + ",\"owner\":\"" + bad + "\"}"))).containsExactly("VALUE /owner");
        }
    }

    @Test
    @DisplayName("RT-01 the builder refuses as a file would, without places, in the order of the keys")
    void builder_refusesAlike() {
        RuntimeConfig.Builder builder = RuntimeConfig.builder(List.of("sh", "a\0b", "x".repeat(32_769)))
                .execTimeout(Duration.ofMillis(1500)).createTimeout(Duration.ZERO).owner("Bad").workspace("").gateway("-g")
                .openshellPath(Path.of("openshell")).policyDir(Path.of("/a/../b")).image("x")
                .egressAllow(List.of("*", "a.example.com", "a.example.com:443"));

        RefusedException refusal = Refusals.of(builder::build);

        assertThat(Refusals.places(refusal)).containsExactly("VALUE /workloadArgv/0 0:0", "VALUE /workloadArgv/1 0:0",
                "VALUE /workloadArgv/2 0:0", "WILDCARD /egressAllow/0 0:0", "DUPLICATE /egressAllow/2 0:0", "VALUE /image 0:0",
                "VALUE /policyDir 0:0", "VALUE /openshellPath 0:0", "VALUE /gateway 0:0", "VALUE /workspace 0:0",
                "VALUE /owner 0:0", "VALUE /createTimeoutSeconds 0:0", "VALUE /execTimeoutSeconds 0:0");
        assertThat(refusal.getMessage()).startsWith("builder: 13 problems\n");
    }

    @Test
    @DisplayName("RT-01 each refused value of the builder has the message that the file has")
    void builder_saysTheSame() {
        List<Map.Entry<RuntimeConfig.Builder, String>> pairs = List.of(
                Map.entry(builder().image("x"), "\"image\":\"x\""),
                Map.entry(builder().owner("-"), "\"owner\":\"-\""),
                Map.entry(builder().gateway(""), "\"gateway\":\"\""),
                Map.entry(builder().workspace(" "), "\"workspace\":\" \""),
                Map.entry(builder().policyDir(Path.of("x")), "\"policyDir\":\"x\""),
                Map.entry(builder().openshellPath(Path.of("x")), "\"openshellPath\":\"x\""),
                Map.entry(builder().createTimeout(Duration.ofSeconds(86_401)), "\"createTimeoutSeconds\":86401"),
                Map.entry(builder().execTimeout(Duration.ofSeconds(-5)), "\"execTimeoutSeconds\":-5"),
                Map.entry(builder().egressAllow(List.of("https://a.example.com")), "\"egressAllow\":[\"https://a.example.com\"]"),
                Map.entry(builder().egressAllow(Collections.nCopies(129, "a")),
                        "\"egressAllow\":[" + "\"a\",".repeat(128) + "\"a\"]"));

        for (Map.Entry<RuntimeConfig.Builder, String> pair : pairs) {
            RefusedException built = Refusals.of(pair.getKey()::build);
            RefusedException read = refusal("{" + ARGV + "," + pair.getValue() + "}");
            assertThat(Refusals.summary(built)).isEqualTo(Refusals.summary(read));
            assertThat(built.problems().stream().map(p -> p.message() + p.hint()))
                    .containsExactlyElementsOf(read.problems().stream().map(p -> p.message() + p.hint()).toList());
            assertThat(built.omitted()).isEqualTo(read.omitted());
        }
    }

    private static RuntimeConfig.Builder builder() {
        return RuntimeConfig.builder(List.of("/usr/bin/agent"));
    }

    @Test
    @DisplayName("the builder copies its lists, can be used again, and takes paths of the default file system alone")
    void builder_isCareful() throws Exception {
        List<String> argv = new ArrayList<>(List.of("/usr/bin/agent"));
        RuntimeConfig.Builder builder = RuntimeConfig.builder(argv);
        argv.add("more");

        assertThat(builder.build().workloadArgv()).containsExactly("/usr/bin/agent");
        assertThat(builder.owner("a").build()).isNotEqualTo(builder.owner("b").build());
        assertThat(Refusals.summary(Refusals.of(() -> RuntimeConfig.builder(List.of()).build())))
                .containsExactly("VALUE /workloadArgv");
        Path archive = Files.createTempDirectory("zip").resolve("a.zip");
        try (FileSystem zip = FileSystems.newFileSystem(URI.create("jar:" + archive.toUri()), Map.of("create", "true"))) {
            assertThatThrownBy(() -> builder.policyDir(zip.getPath("/x"))).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> builder.openshellPath(zip.getPath("/x"))).isInstanceOf(IllegalArgumentException.class);
        }
        Files.delete(archive);
        Files.delete(archive.getParent());
        assertThatThrownBy(() -> RuntimeConfig.builder(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> RuntimeConfig.builder(Collections.singletonList(null)))
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> builder.image(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> builder.egressAllow(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> builder.createTimeout(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> builder.policyDir(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> RuntimeConfigLoader.standard().parse(null, "x")).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> RuntimeConfigLoader.standard().parse(new byte[0], null))
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> RuntimeConfigLoader.standard().load(null)).isInstanceOf(NullPointerException.class);
    }
}
