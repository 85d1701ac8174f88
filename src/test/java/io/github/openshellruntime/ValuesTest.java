// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** equals, hashCode and toString of the values, and the small judgements that stand behind many messages. */
@DisplayName("Values")
class ValuesTest {

    private static final String AGENT = "/usr/bin/agent";

    /** Each of the values differs from every other, and the copy of each is equal to it with the same hash. */
    private static void assertDistinct(List<?> values, List<?> copies) {
        for (int i = 0; i < values.size(); i++) {
            assertThat(values.get(i)).isEqualTo(copies.get(i)).hasSameHashCodeAs(copies.get(i)).isNotEqualTo("x").isNotEqualTo(null);
            for (int j = 0; j < values.size(); j++) {
                assertThat(values.get(i).equals(copies.get(j))).as(values.get(i) + " and " + copies.get(j)).isEqualTo(i == j);
            }
        }
        // Not a contract, but a hash that is the same for all would make every map a list.
        Set<Integer> hashes = new HashSet<>();
        values.forEach(value -> hashes.add(value.hashCode()));
        assertThat(hashes.size()).isGreaterThan(values.size() / 2);
    }

    private static List<RuntimeConfig> configs() {
        return List.of(RuntimeConfig.builder(List.of(AGENT)).build(), RuntimeConfig.builder(List.of(AGENT, "x")).build(),
                RuntimeConfig.builder(List.of(AGENT)).egressAllow(List.of("a.example.com")).build(),
                RuntimeConfig.builder(List.of(AGENT)).image("a/b").build(), RuntimeConfig.builder(List.of(AGENT)).gateway("g").build(),
                RuntimeConfig.builder(List.of(AGENT)).workspace("g").build(), RuntimeConfig.builder(List.of(AGENT)).owner("g").build(),
                RuntimeConfig.builder(List.of(AGENT)).policyDir(Path.of("/g")).build(),
                RuntimeConfig.builder(List.of(AGENT)).openshellPath(Path.of("/g")).build(),
                RuntimeConfig.builder(List.of(AGENT)).createTimeout(Duration.ofSeconds(5)).build(),
                RuntimeConfig.builder(List.of(AGENT)).execTimeout(Duration.ofSeconds(5)).build());
    }

    private static List<Problem> problems() {
        return List.of(new Problem(Problem.Rule.TYPE, "/a", 1, 2, "m", "h"), new Problem(Problem.Rule.VALUE, "/a", 1, 2, "m", "h"),
                new Problem(Problem.Rule.TYPE, "/b", 1, 2, "m", "h"), new Problem(Problem.Rule.TYPE, "/a", 2, 2, "m", "h"),
                new Problem(Problem.Rule.TYPE, "/a", 1, 3, "m", "h"), new Problem(Problem.Rule.TYPE, "/a", 1, 2, "n", "h"),
                new Problem(Problem.Rule.TYPE, "/a", 1, 2, "m", ""));
    }

    private static List<Object> documents() {
        List<Object> documents = new ArrayList<>();
        for (RuntimeConfig config : configs().subList(0, 3)) {
            documents.add(config.egressAllow().rules());
            documents.add(PolicyDocuments.render(config.egressAllow(), AGENT + config.workloadArgv().size()));
        }
        return List.of(documents.get(0), documents.get(1), documents.get(3), documents.get(4), documents.get(5));
    }

    @Test
    @DisplayName("values are equal when everything in them is")
    void values_areEqualByContent() {
        assertDistinct(configs(), configs());
        assertDistinct(problems(), problems());
        assertDistinct(documents(), documents());
        assertDistinct(List.of(new EgressRule("a", 1), new EgressRule("a", 2), new EgressRule("b", 1)),
                List.of(new EgressRule("a", 1), new EgressRule("a", 2), new EgressRule("b", 1)));
        assertDistinct(List.of(OpenShellRunOptions.capturing(Duration.ofSeconds(1)), OpenShellRunOptions.discarding(Duration.ofSeconds(1)),
                OpenShellRunOptions.capturing(Duration.ofSeconds(2))), List.of(OpenShellRunOptions.capturing(Duration.ofSeconds(1)),
                OpenShellRunOptions.discarding(Duration.ofSeconds(1)), OpenShellRunOptions.capturing(Duration.ofSeconds(2))));
        assertDistinct(List.of(new CapturedOutput(new byte[] {1}, 1), new CapturedOutput(new byte[] {1}, 2), new CapturedOutput(new byte[] {2}, 1)),
                List.of(new CapturedOutput(new byte[] {1}, 1), new CapturedOutput(new byte[] {1}, 2), new CapturedOutput(new byte[] {2}, 1)));
        assertDistinct(List.of(version("0.1.2"), version("0.1.3"), version("0.2.2"), version("1.1.2")),
                List.of(version("0.1.2"), version("0.1.3"), version("0.2.2"), version("1.1.2")));
    }

    private static List<Object> tokens() {
        OpenShellEnvironment plain = OpenShellEnvironment.select(Map.of());
        return List.of(WorkloadUser.standard(), WorkloadUser.of(1, 2), WorkloadUser.imageUser(), WorkloadUser.sandboxAccount(),
                SandboxProfile.standard(), SandboxProfile.standard().withUser(WorkloadUser.imageUser()),
                SandboxProfile.standard().withReadable("/a"), SandboxProfile.standard().withReadable("/b", "/a"),
                SessionId.of("a"), SessionId.of("b"), plain, plain.withGateway("g"), OpenShellArgv.version(),
                OpenShellArgv.get(SessionId.of("a")), OpenShellCli.unverified(Path.of("/a"), plain),
                OpenShellCli.unverified(Path.of("/b"), plain), OpenShellCli.unverified(Path.of("/a"), plain.withGateway("g")),
                configs().get(0).egressAllow(), configs().get(2).egressAllow(),
                PolicyDocuments.render(configs().get(0).egressAllow(), AGENT), PolicyDocuments.render(configs().get(2).egressAllow(), AGENT),
                PolicyDocuments.render(configs().get(0).egressAllow(), AGENT, SandboxProfile.standard().withReadable("/a")));
    }

    @Test
    @DisplayName("so are names, users, environments, argv, CLIs and documents")
    void tokens_areEqualByContent() {
        assertDistinct(tokens(), tokens());
    }

    private static OpenShellVersion version(String numbers) {
        return OpenShellVersion.parse("openshell " + numbers);
    }

    @Test
    @DisplayName("written policies are equal by session, path and document")
    void writtenPolicies_areEqualByContent(@TempDir Path dir) throws Exception {
        PolicyDocument one = PolicyDocuments.render(configs().get(0).egressAllow(), AGENT);
        PolicyDocument two = PolicyDocuments.render(configs().get(2).egressAllow(), AGENT);
        assertDistinct(List.of(PolicyDocuments.write(dir, SessionId.of("a"), one), PolicyDocuments.write(dir, SessionId.of("b"), one),
                PolicyDocuments.write(dir, SessionId.of("a"), two), PolicyDocuments.write(dir.resolve("x"), SessionId.of("a"), one)),
                List.of(PolicyDocuments.write(dir, SessionId.of("a"), one), PolicyDocuments.write(dir, SessionId.of("b"), one),
                        PolicyDocuments.write(dir, SessionId.of("a"), two), PolicyDocuments.write(dir.resolve("x"), SessionId.of("a"), one)));
    }

    @Test
    @DisplayName("toString tells what a log needs")
    void toString_tells() {
        assertThat(configs().get(1)).hasToString("RuntimeConfig[workload=/usr/bin/agent, arguments=1, egressAllow=0,"
                + " createTimeout=PT10M, execTimeout=PT2M]");
        assertThat(problems().get(0)).hasToString("1:2  /a  TYPE  m (h)");
        assertThat(problems().get(6)).hasToString("1:2  /a  TYPE  m");
        assertThat(Problem.of(Problem.Rule.LIMIT, "", "m", "")).hasToString("0:0  \"\"  LIMIT  m");
        assertThat(OpenShellRunOptions.capturing(Duration.ofSeconds(1)))
                .hasToString("OpenShellRunOptions[deadline=PT1S, captureOutput=true]");
        assertThat(new CapturedOutput(new byte[] {1}, 2)).hasToString("CapturedOutput[kept=1, totalBytes=2]");
        assertThat(new OpenShellRunOutcome(3, Duration.ofSeconds(1), CapturedOutput.EMPTY, CapturedOutput.EMPTY, true))
                .hasToString("OpenShellRunOutcome[exitCode=3, elapsed=PT1S, stdout=CapturedOutput[kept=0, totalBytes=0],"
                        + " stderr=CapturedOutput[kept=0, totalBytes=0]]");
    }

    @Test
    @DisplayName("the message of a run without an outcome tells kind, reason and sizes, and no size where nothing was started")
    void runnerError_tells() {
        CapturedOutput three = new CapturedOutput(new byte[] {1, 2, 3}, 3);

        assertThat(OpenShellRunnerError.timedOut(Duration.ofMillis(1500), three, CapturedOutput.EMPTY))
                .hasMessageStartingWith("TIMED_OUT DEADLINE: ").hasMessageEndingWith(" (after 1500 ms; 3 bytes on stdout, 0 on stderr)");
        assertThat(OpenShellRunnerError.ended(OpenShellRunnerError.Reason.OUTPUT_FAILED, false, Duration.ofMillis(2),
                CapturedOutput.EMPTY, three))
                .hasMessageStartingWith("FAILED OUTPUT_FAILED: ").hasMessageEndingWith(" (after 2 ms; 0 bytes on stdout, 3 on stderr)");
        assertThat(OpenShellRunnerError.failed(OpenShellRunnerError.Reason.EXECUTABLE_NOT_FOUND))
                .hasMessageStartingWith("FAILED EXECUTABLE_NOT_FOUND: ").hasMessageNotContaining("after");
    }

    @Test
    @DisplayName("RT-01 each denied key says what it would do and what to use instead")
    void deniedKeys_explain() {
        for (String key : List.of("network", "net_ns", "HostNetwork", "network-mode")) {
            assertThat(ConfigDeniedKeys.reason(key)).isEqualTo(key + " is refused: it would take the workload out of the sandbox's own network");
            assertThat(ConfigDeniedKeys.hint(key)).contains("egressAllow");
        }
        for (String key : List.of("driverConfig", "DRIVER_CONFIG_JSON")) {
            assertThat(ConfigDeniedKeys.reason(key)).startsWith(key + " is refused: it would hand settings to the driver");
            assertThat(ConfigDeniedKeys.hint(key)).contains("image");
        }
        assertThat(ConfigDeniedKeys.fold("AZaz_-@[`{09")).isEqualTo("azaz@[`{09");
    }

    @Test
    @DisplayName("UTF-8 lengths, lone surrogates and ASCII are told by their borders")
    void text_isJudgedAtItsBorders() {
        for (String text : List.of("", "\u0000", "\u007f", "\u0080", "\u07ff", "\u0800", "\uffff", "\ud800\udc00", "\udbff\udfff", "a\u00e9\u65e5\ud83d\ude00")) {
            assertThat(Text.utf8Length(text)).isEqualTo(text.getBytes(StandardCharsets.UTF_8).length);
            assertThat(Text.hasLoneSurrogate(text)).isFalse();
            assertThat(Text.fitsAnArgument(text)).isEqualTo(!text.contains("\u0000"));
            assertThat(Text.isAscii(text)).isEqualTo(text.chars().allMatch(c -> c < 128));
            assertThat(Text.survivesLaunch(text)).isTrue();
        }
        for (String text : List.of("\ud800", "\udfff", "a\ud800", "\ud800a", "\ud800\ud800\udc00", "\udc00\ud800", "\ud800\udc00\udc00")) {
            assertThat(Text.hasLoneSurrogate(text)).isTrue();
            assertThat(Text.fitsAnArgument(text)).isFalse();
        }
        assertThat(Text.escaped(" ~\u001f\u007f\u00e9")).isEqualTo(" ~\\u001F\\u007F\\u00E9");
        assertThat(Text.isAscii("a\u0080")).isFalse();
    }

    @Test
    @DisplayName("places go forth and back in a text with every kind of line end")
    void source_findsPlaces() {
        JsonSource source = new JsonSource("ab\ncd\r\nef\rgh\n\r\nij");
        int[] offsets = {16, 0, 9, 4, 10, 3, 2, 13, 6, 15, 14, 7, 1};
        String[] places = {"6:2", "1:1", "3:3", "2:2", "4:1", "2:1", "1:3", "5:1", "2:4", "6:1", "5:2", "3:1", "1:2"};
        for (int i = 0; i < offsets.length; i++) {
            assertThat(source.place(offsets[i])).as("offset " + offsets[i]).isEqualTo(places[i]);
        }
        assertThat(source.place(JsonSource.NO_OFFSET)).isEqualTo("0:0");
        assertThat(source.problem(Problem.Rule.TYPE, "", 10, "m", "").toString()).startsWith("4:1  ");
    }

    @Test
    @DisplayName("captured text: what the bound cut is left out, malformed bytes become U+FFFD")
    void captured_text() {
        byte[] euro = {(byte) 0xE2, (byte) 0x82, (byte) 0xAC};
        assertThat(new CapturedOutput(euro, 3).text()).isEqualTo("\u20ac");
        assertThat(new CapturedOutput(new byte[] {'a', (byte) 0xE2, (byte) 0x82}, 9).text()).isEqualTo("a");
        assertThat(new CapturedOutput(new byte[] {'a', (byte) 0xE2, (byte) 0x82}, 3).text()).isEqualTo("a\ufffd");
        assertThat(new CapturedOutput(new byte[] {(byte) 0xE2, 'a', (byte) 0xFF, 'b'}, 9).text()).isEqualTo("\ufffda\ufffdb");
        assertThat(new CapturedOutput(new byte[] {'a', (byte) 0xF0, (byte) 0x9F, (byte) 0x98}, 9).text()).isEqualTo("a");
        assertThat(new CapturedOutput(new byte[] {'a', (byte) 0xC3}, 9).text()).isEqualTo("a");
        byte[] kept = {'a'};
        CapturedOutput output = new CapturedOutput(kept, 1);
        output.bytes()[0] = 'b';
        assertThat(output.bytes()).containsExactly('a');
    }

    @Test
    @DisplayName("enums print their names")
    void enums_printTheirNames() {
        for (Enum<?> constant : List.<Enum<?>>of(Problem.Rule.TYPE, RefusedException.Code.ARGV_INVALID,
                OpenShellRunnerError.Kind.FAILED, OpenShellRunnerError.Reason.DEADLINE)) {
            assertThat(constant).hasToString(constant.name());
        }
    }
}
