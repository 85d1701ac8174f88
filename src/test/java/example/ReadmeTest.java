// SPDX-License-Identifier: Apache-2.0
package example;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.openshellruntime.OpenShellArgv;
import io.github.openshellruntime.OpenShellArgv.Verb;
import io.github.openshellruntime.OpenShellRunOptions;
import io.github.openshellruntime.OpenShellRunner;
import io.github.openshellruntime.testing.InMemoryOpenShell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("README")
class ReadmeTest {

    private static final Pattern JAVA_BLOCK = Pattern.compile("(?s)```java\n(.*?)```");
    private static final Pattern EXAMPLE = Pattern.compile("(?s)// README \\w+\n(.*?) *// README end");
    private static final int MOST_LINES = 260;

    private static String readme() throws Exception {
        return Files.readString(Path.of("README.md"));
    }

    private static List<String> javaBlocks() throws Exception {
        return JAVA_BLOCK.matcher(readme()).results().map(result -> result.group(1)).toList();
    }

    /** The lines between {@code // README name} and {@code // README end}, without their common indentation. */
    private static List<String> examples(String source) throws Exception {
        Matcher examples = EXAMPLE.matcher(Files.readString(Path.of("src/test/java/example", source)));
        return examples.results().map(result -> result.group(1).stripTrailing().stripIndent() + "\n").toList();
    }

    @Test
    @DisplayName("its code is the code that is compiled and tested")
    void code_isCompiled() throws Exception {
        List<String> compiled = new ArrayList<>(examples("ReadmeExample.java"));
        compiled.addAll(examples("DispatcherTest.java"));

        assertThat(javaBlocks()).hasSize(3).containsExactlyInAnyOrderElementsOf(compiled);
    }

    @Test
    @DisplayName("the life of a realm is twelve lines at most, the test of a dispatcher eight, a decorator five")
    void examples_areShort() throws Exception {
        assertThat(javaBlocks().get(0).lines()).hasSizeLessThanOrEqualTo(12);
        assertThat(javaBlocks().get(0)).contains("} finally {\n    realms.close(session);\n}\n");
        assertThat(javaBlocks().get(1).lines()).hasSizeLessThanOrEqualTo(8);
        assertThat(javaBlocks().get(2).lines()).hasSizeLessThanOrEqualTo(5);
        assertThat(readme().lines()).hasSizeLessThanOrEqualTo(MOST_LINES);
    }

    @Test
    @DisplayName("its decorator sees every call")
    void decorator_seesEveryCall() throws Exception {
        List<Verb> seen = new ArrayList<>();
        OpenShellRunner measured = ReadmeExample.measured(new InMemoryOpenShell(), (verb, elapsed) -> seen.add(verb));

        measured.run(OpenShellArgv.version(), OpenShellRunOptions.capturing(Duration.ofSeconds(1)));

        assertThat(seen).containsExactly(Verb.VERSION);
    }

    @Test
    @DisplayName("each claim stands in it as the table of claims has it, and the tests that hold it exist")
    void claims_haveTests() throws Exception {
        String words = readme().replaceAll("\\s+", " ");
        List<String> claims = Files.readAllLines(Path.of("src/test/resources/example/readme-claims.txt")).stream()
                .filter(line -> !line.startsWith("#")).toList();

        assertThat(claims).hasSizeGreaterThan(30);
        for (String claim : claims) {
            String[] columns = claim.split(" \\| ");
            assertThat(words).contains(columns[0]);
            for (String test : columns[1].split(", ")) {
                assertThat(source(test.split("#")[0])).as(test).contains("void " + test.split("#")[1] + "(");
            }
        }
    }

    private static String source(String testClass) throws Exception {
        Path source = Stream.of("io/github/openshellruntime", "example")
                .map(folder -> Path.of("src/test/java", folder, testClass + ".java")).filter(Files::exists).findFirst()
                .orElseThrow(() -> new AssertionError("no test class " + testClass));
        return Files.readString(source);
    }

    @Test
    @DisplayName("speaks of every public type")
    void readme_hasEveryPublicType() throws Exception {
        String readme = readme();
        for (String line : Files.readAllLines(Path.of("src/test/resources/io/github/openshellruntime/public-api.txt"))) {
            Matcher type = Pattern.compile("public (?:final class|interface) (\\w+)\\b(?!\\.).*").matcher(line);
            if (type.matches()) {
                assertThat(readme).contains("`" + type.group(1) + "`");
            }
        }
    }
}
