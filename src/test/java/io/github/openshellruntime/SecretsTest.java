// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Marked secrets in every place whose text is kept out of messages. */
@DisplayName("Refusals keep secrets")
class SecretsTest {

    private static final String MARK = "Zq7_Tr0ub4dor";
    private static final String ARGV = "\"workloadArgv\":[\"/usr/bin/agent\"]";

    static Stream<String> documents() {
        Stream<String> values = Stream.of("network", "net_ns", "driverConfigJson", "unknown", "gateway", "workspace", "owner",
                "image", "policyDir", "openshellPath", "createTimeoutSeconds", "execTimeoutSeconds", "egressAllow")
                .flatMap(key -> Stream.of(
                        "{" + ARGV + ",\"" + key + "\":\"@" + MARK + " \"}",
                        "{" + ARGV + ",\"" + key + "\":[\"@" + MARK + "\",{\"x\":\"" + MARK + "\"}]}",
                        "{" + ARGV + ",\"" + key + "\":{\"x\":\"" + MARK + "\"},\"" + key + "\":\"" + MARK + "\"}"));
        Stream<String> argv = Stream.of(
                "{\"workloadArgv\":[\"sh\",\"" + MARK + "\"]}",
                "{\"workloadArgv\":[\"/bin/x\",\"" + MARK + "\\u0000\"]}",
                "{\"workloadArgv\":[\"/bin/x\",\"" + MARK + "\\ud800\"]}",
                "{\"workloadArgv\":[\"/bin/x\",\"" + MARK.repeat(4_000) + "\"]}",
                "{\"workloadArgv\":[\"/bin/x\",7,\"" + MARK + "\"]}",
                "{\"workloadArgv\":[\"/bin/" + MARK + " x\"]}",
                "{\"workloadArgv\":[\"" + MARK + "=y\"]}",
                "{\"workloadArgv\":[\"" + MARK + "\\n\"]}",
                "{\"workloadArgv\":\"" + MARK + "\"}");
        Stream<String> entries = Stream.of("https://u:" + MARK + "@api.example.com", MARK, MARK + ".example.com", "a b " + MARK,
                "api.example.com/" + MARK, MARK + "@api.example.com", "api.example.com:" + MARK, "\u00e9" + MARK,
                "[" + MARK + "]", MARK.repeat(50), "api.example.com?key=" + MARK, "api.example.com:443:" + MARK,
                "::" + MARK, "api.example.com:443 " + MARK)
                .map(entry -> "{" + ARGV + ",\"egressAllow\":[\"" + entry + "\"]}");
        Stream<String> malformed = Stream.of(MARK, "{" + MARK + "}", "{\"a\":" + MARK + "}", "{\"a\":\"" + MARK,
                "{\"a\":\"" + MARK + "\\x\"}", "{\"a\":\"" + MARK + "\n\"}", "{\"a\":1 " + MARK + "}", "{\"a\":1} " + MARK,
                "{\"" + MARK, "[1, " + MARK + "]", "{\"a\":\"x\"" + MARK + "\"}", "{\"a\":1" + MARK + "}",
                "{\"a\":\"" + MARK + "\\ud8zz\"}", "\ufeff" + MARK, "{\"a\":\"" + MARK + "\0\"}", "-" + MARK, "tru" + MARK,
                "{\"a\":\"" + MARK.repeat(20_000) + "\"}", "[[[[[[[[[\"" + MARK + "\"]]]]]]]]]", "'" + MARK + "'",
                "\"" + MARK + "\"", "[\"" + MARK + "\"]");
        return Stream.of(values, argv, entries, malformed).flatMap(rows -> rows);
    }

    @ParameterizedTest(name = "RT-01 no mark in the report of {0}")
    @MethodSource("documents")
    void report_hasNoMark(String document) throws Exception {
        RefusedException refusal = Refusals.of(
                () -> RuntimeConfigLoader.standard().parse(document.getBytes(StandardCharsets.UTF_8), "test"));

        assertThat(refusal).isNotNull();
        assertSilent(refusal);
    }

    @Test
    @DisplayName("AUD-02 refused commands, ids, tokens and binaries show nothing of themselves")
    void otherRefusals_haveNoMark() throws Exception {
        SessionId session = SessionId.of("a");
        RuntimeConfig config = RuntimeConfig.builder(List.of("/usr/bin/agent", MARK)).build();

        assertSilent(Refusals.of(() -> SessionId.of(MARK)));
        assertSilent(Refusals.of(() -> SessionId.derive(MARK + "\ud800")));
        assertSilent(Refusals.of(() -> SessionId.fromSandboxName("realm-" + MARK)));
        assertSilent(Refusals.of(() -> OpenShellArgv.exec(session, List.of("", MARK + "\0", MARK.repeat(4_000)))));
        assertSilent(Refusals.of(() -> OpenShellArgv.list(config, MARK + "\n")));
        assertSilent(Refusals.of(() -> PolicyDocuments.render(config.egressAllow(), "/" + MARK + " x")));
        assertThat(config.toString()).doesNotContain(MARK.substring(0, 4));
        assertThat(OpenShellArgv.exec(session, List.of("x", MARK)).toString()).doesNotContain(MARK.substring(0, 4));
        assertThat(OpenShellEnvironment.select(Map.of("HOME", MARK)).toString()).doesNotContain(MARK.substring(0, 4));
    }

    private static void assertSilent(RefusedException refusal) throws Exception {
        StringWriter trace = new StringWriter();
        refusal.printStackTrace(new PrintWriter(trace));
        String start = MARK.substring(0, 4);
        assertThat(refusal.getMessage()).doesNotContain(start);
        assertThat(refusal.toString()).doesNotContain(start);
        assertThat(trace.toString()).doesNotContain(start);
        assertThat(refusal.problems().toString()).doesNotContain(start);
        assertThat(refusal).hasNoCause().hasNoSuppressedExceptions();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(refusal);
        }
        assertThat(bytes.toString(StandardCharsets.ISO_8859_1)).doesNotContain(start);
    }

    @ParameterizedTest(name = "RT-01 an evil name cannot forge a line: {0}")
    @MethodSource("evilNames")
    void report_cannotBeForged(String name) {
        String key = "{\"" + Text.escaped(name) + "\":1}";
        RefusedException refusal =
                Refusals.of(() -> RuntimeConfigLoader.standard().parse(key.getBytes(StandardCharsets.UTF_8), name));

        assertThat(refusal.getMessage()).matches("[ -~\\n]*");
        assertThat(refusal.getMessage().lines()).hasSize(3);
        assertThat(refusal.problems().get(0).pointer()).isEqualTo("/" + name.replace("~", "~0").replace("/", "~1"));
        assertThat(refusal.getMessage().lines()).allMatch(line -> line.length() < 400);
    }

    static Stream<String> evilNames() {
        return Stream.of("a\nb", "a\r\nb", "a\u2028b", "a\u2029b", "a\u0085b", "\u202eabc", "\u2066abc", "\u200b", "\u001b[31mred",
                "a\tb", "\b\b\b", "\u007f", "\u009b31m", "x".repeat(128), "\u0001".repeat(100), "é".repeat(64),
                "0:0  ''  SYNTAX  fake", "\nfake.json: 0 problems", "\ud83d\ude00", "\ufeff");
    }

    @Test
    @DisplayName("what is shown is cut at 64 characters after it was escaped")
    void shown_isCut() {
        assertThat(Text.printable("x".repeat(64))).isEqualTo("x".repeat(64));
        assertThat(Text.printable("x".repeat(65))).isEqualTo("x".repeat(64) + "...");
        assertThat(Text.printable("\uFF2D\u0435\n")).isEqualTo("\\uFF2D\\u0435\\u000A");
        assertThat(Text.printable("\n".repeat(11))).isEqualTo("\\u000A".repeat(10) + "\\u00...");
        assertThat(Text.printable("")).isEmpty();
    }

    @Test
    @DisplayName("after Java serialization nothing is null")
    void serialization_keepsTheCode() throws Exception {
        RefusedException refusal = copy(Refusals.of(() -> SessionId.of("")));

        assertThat(refusal.code()).isEqualTo(RefusedException.Code.SESSION_ID_INVALID);
        assertThat(refusal.problems()).isEmpty();
        assertThat(refusal.omitted()).isZero();
        assertThat(refusal.getMessage()).contains("SESSION_ID");
        OpenShellRunnerError error = copy(OpenShellRunnerError.failed(OpenShellRunnerError.Reason.LAUNCH_FAILED));
        assertThat(error.reason()).isEqualTo(OpenShellRunnerError.Reason.LAUNCH_FAILED);
        assertThat(error.stdout()).isEqualTo(CapturedOutput.EMPTY);
        assertThat(error.stderr()).isEqualTo(CapturedOutput.EMPTY);
        assertThat(error.elapsed()).isZero();
        PolicyWriteException write =
                copy(PolicyWriteException.untouched("cannot", Path.of("/a/b"), null));
        assertThat(write.path()).isEqualTo(Path.of("/a/b"));
        assertThat(write.committed()).isFalse();
    }

    private static <T> T copy(T exception) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(exception);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            @SuppressWarnings("unchecked")
            T read = (T) in.readObject();
            return read;
        }
    }
}
