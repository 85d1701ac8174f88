// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The loader against readTree of the same bytes, and the renderer over more and more entries. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class JsonBench {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final byte[] TYPICAL = config(5, 3);
    private static final byte[] FULL = config(128, 256);
    private static final byte[] REFUSED = refused();
    private static final EgressAllowlist SIXTEEN = parse(config(16, 1)).egressAllow();
    private static final EgressAllowlist ALL = parse(config(128, 1)).egressAllow();

    /** One of {@link HostileDocument}, by its name, since JMH wants a public type. */
    @State(Scope.Benchmark)
    public static class Hostile {

        @Param("ONE_STRING")
        public String document;

        private byte[] json;

        @Setup
        public void make() {
            json = HostileDocument.valueOf(document).bytes();
        }
    }

    static byte[] config(int entries, int arguments) {
        StringBuilder json = new StringBuilder("{\n  \"workloadArgv\": [\"/usr/bin/agent\"");
        for (int i = 1; i < arguments; i++) {
            json.append(", \"--option-").append(i).append('"');
        }
        json.append("],\n  \"egressAllow\": [");
        for (int i = 0; i < entries; i++) {
            json.append(i == 0 ? "" : ",").append("\n    \"host-").append(i).append(".example.com:").append(443 + i % 3).append('"');
        }
        return json.append("\n  ],\n  \"image\": \"registry.example.com/team/agent:1\",\n  \"owner\": \"dispatcher-1\",\n")
                .append("  \"createTimeoutSeconds\": 300\n}\n").toString().getBytes(StandardCharsets.UTF_8);
    }

    /** A document of 1 MiB that is valid JSON and refused: every egress entry is one too long. */
    private static byte[] refused() {
        StringBuilder json = new StringBuilder("{\"workloadArgv\":[\"/usr/bin/agent\"],\"egressAllow\":[\"x\"");
        String entry = ",\"" + "a".repeat(300) + "\"";
        while (json.length() + entry.length() < ConfigFile.MAX_BYTES - 2) {
            json.append(entry);
        }
        return json.append("]}").toString().getBytes(StandardCharsets.UTF_8);
    }

    private static RuntimeConfig parse(byte[] json) {
        return RuntimeConfigLoader.standard().parse(json, "bench");
    }

    @Benchmark
    public Object parseTypical() {
        return parse(TYPICAL);
    }

    @Benchmark
    public Object readTreeTypical() throws IOException {
        return MAPPER.readTree(TYPICAL);
    }

    @Benchmark
    public Object parseFull() {
        return parse(FULL);
    }

    @Benchmark
    public Object readTreeFull() throws IOException {
        return MAPPER.readTree(FULL);
    }

    private static RefusedException refusal(byte[] json) {
        try {
            throw new IllegalStateException("taken: " + parse(json));
        } catch (RefusedException e) {
            return e;
        }
    }

    @Benchmark
    public Object parseRefused() {
        return refusal(REFUSED);
    }

    @Benchmark
    public Object readTreeRefused() throws IOException {
        return MAPPER.readTree(REFUSED);
    }

    @Benchmark
    public Object parseHostile(Hostile hostile) {
        return refusal(hostile.json);
    }

    /** Some are no JSON; then it is the way to the fault. */
    @Benchmark
    public Object readTreeHostile(Hostile hostile) {
        try {
            return MAPPER.readTree(hostile.json);
        } catch (IOException e) {
            return e;
        }
    }

    @Benchmark
    public Object render16() {
        return PolicyDocuments.render(SIXTEEN, "/usr/bin/agent");
    }

    @Benchmark
    public Object render128() {
        return PolicyDocuments.render(ALL, "/usr/bin/agent");
    }
}
