// SPDX-License-Identifier: Apache-2.0
package example;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.openshellruntime.OpenShellRunOutcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("README")
class ReadmeTest {

    private static final Pattern JAVA_BLOCK = Pattern.compile("(?s)```java\n(.*?)```");

    private static List<String> javaBlocks() throws Exception {
        Matcher blocks = JAVA_BLOCK.matcher(Files.readString(Path.of("README.md")));
        return blocks.results().map(result -> result.group(1)).toList();
    }

    /** The lines between {@code // README n} and the next {@code // README}, without their common indentation. */
    private static List<String> examples() throws Exception {
        String source = Files.readString(Path.of("src/test/java/example/ReadmeExample.java"));
        Matcher examples = Pattern.compile("(?s)// README \\d\n(.*?) *// README end").matcher(source);
        return examples.results().map(result -> result.group(1).stripTrailing().stripIndent() + "\n").toList();
    }

    @Test
    @DisplayName("its code is the code that is compiled")
    void code_isCompiled() throws Exception {
        assertThat(javaBlocks()).isNotEmpty().containsExactlyElementsOf(examples());
    }

    @Test
    @DisplayName("its first example goes from config to outcome")
    void firstExample_runs(@TempDir Path home) throws Exception {
        StandIn standIn = StandIn.install(home);

        OpenShellRunOutcome outcome = ReadmeExample.firstCommand(Path.of("src/test/resources/example/runtime.json"),
                home.resolve("policies"), "123e4567-e89b-12d3-a456-426614174000", standIn.host());

        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.stdout().text()).startsWith("uid=");
    }

    @Test
    @DisplayName("its first example has at most twelve statements on fourteen lines")
    void firstExample_isShort() throws Exception {
        assertThat(javaBlocks().get(0).lines()).hasSizeLessThanOrEqualTo(14);
    }

    @Test
    @DisplayName("its second example is under 40 lines")
    void secondExample_isShort() throws Exception {
        assertThat(javaBlocks().get(1).lines()).hasSizeLessThan(40);
    }

    @Test
    @DisplayName("each test that it names for a claim exists")
    void namedTests_exist() throws Exception {
        Matcher comments = Pattern.compile("(?s)<!-- test: (.*?) -->").matcher(Files.readString(Path.of("README.md")));
        List<String> named = comments.results().flatMap(result -> Stream.of(result.group(1).split(",\\s*"))).toList();

        assertThat(named).hasSizeGreaterThan(40);
        for (String test : named) {
            String[] parts = test.split("#");
            Path source = Stream.of("io/github/openshellruntime", "example")
                    .map(folder -> Path.of("src/test/java", folder, parts[0] + ".java")).filter(Files::exists).findFirst()
                    .orElseThrow(() -> new AssertionError("no test class " + test));
            assertThat(Files.readString(source)).as(test).contains("void " + parts[1] + "(");
        }
    }

    @Test
    @DisplayName("speaks of every public type")
    void readme_hasEveryPublicType() throws Exception {
        String readme = Files.readString(Path.of("README.md"));
        for (String line : Files.readAllLines(Path.of("src/test/resources/io/github/openshellruntime/public-api.txt"))) {
            if (line.startsWith("public final class ") && !line.contains(".")) {
                assertThat(readme).contains("`" + line.split(" ")[3] + "`");
            }
        }
    }
}
