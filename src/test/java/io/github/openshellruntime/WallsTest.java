// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Reads the sources and holds the walls between the classes. */
@DisplayName("Walls")
class WallsTest {

    private static final Path SOURCES = Path.of("src/main/java/io/github/openshellruntime");

    /** Class name to its code without comments and string literals. */
    private static final Map<String, String> CODE = code();

    private static Map<String, String> code() {
        Map<String, String> code = new TreeMap<>();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = SOURCES.relativize(file).toString().replace(".java", "");
                code.put(name, Files.readString(file).replaceAll("(?s)/\\*.*?\\*/", "")
                        .replaceAll("\"([^\"\\\\\\n]|\\\\.)*\"", "\"\"").replaceAll("//[^\\n]*", ""));
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return code;
    }

    private static List<String> classesWith(String regex) {
        Pattern pattern = Pattern.compile(regex);
        return CODE.entrySet().stream().filter(entry -> pattern.matcher(entry.getValue()).find()).map(Map.Entry::getKey)
                .toList();
    }

    @Test
    @DisplayName("only one reader and one writer import Jackson")
    void jackson_isBehindTwoClasses() {
        assertThat(classesWith("com\\.fasterxml")).containsExactly("JsonReader", "JsonWriter");
    }

    @Test
    @DisplayName("AUD-02 only the runner starts processes")
    void processes_areStartedInOnePlace() {
        assertThat(classesWith("\\bProcessBuilder\\b|\\bRuntime\\.getRuntime\\(\\)\\.exec")).containsExactly("ProcessRunner");
    }

    @Test
    @DisplayName("RT-07 only DurableFile writes to a disk")
    void disk_isWrittenInOnePlace() {
        assertThat(classesWith("Files\\.(write|create|delete|move|copy|set|newOutputStream|newByteChannel|newBufferedWriter)"
                + "|FileChannel\\.open|FileOutputStream|RandomAccessFile|FileWriter|\\.mkdirs?\\(")).containsExactly("DurableFile");
    }

    @Test
    @DisplayName("RT-05 the config and the allowlist are judged as text: no resolver, no repairing parser")
    void judges_useNoParserThatRepairs() {
        for (String judge : List.of("EgressGrammar", "EgressNames", "EgressZones", "ConfigReport", "ConfigSchema", "PolicyPath",
                "ConfigImage", "ConfigDeniedKeys", "SessionId")) {
            assertThat(CODE.get(judge)).doesNotContainPattern(
                    "InetAddress|\\bIDN\\b|\\bURI\\b|java\\.net|\\.trim\\(|\\.strip|\\.find\\(|toLowerCase\\(\\)|Normalizer");
        }
    }

    @Test
    @DisplayName("the host's environment and properties are read by nobody but the caller")
    void host_isNotRead() {
        assertThat(classesWith("System\\.getenv|System\\.(out|err|in)\\b")).isEmpty();
        assertThat(classesWith("System\\.getProperty")).containsExactly("Text");
    }

    @Test
    @DisplayName("the package for tests is one class, of the public API and the JDK alone; nothing else knows it")
    void testing_usesThePublicApi() {
        assertThat(CODE.keySet()).filteredOn(name -> name.contains("/"))
                .containsExactly("testing/InMemoryOpenShell", "testing/package-info");
        // What is not public the compiler keeps from another package.
        String code = CODE.get("testing/InMemoryOpenShell");
        assertThat(Pattern.compile("(?m)^import (.*);").matcher(code).results()).isNotEmpty().allSatisfy(used ->
                assertThat(used.group(1)).matches("(java\\.(io|nio\\.file|time|util)\\.|io\\.github\\.openshellruntime\\.)[\\w.]+"));
        assertThat(code).doesNotContainPattern("fasterxml|setAccessible|forName");
        assertThat(classesWith("openshellruntime\\.testing|InMemoryOpenShell"))
                .containsExactly("testing/InMemoryOpenShell", "testing/package-info");
    }

    @Test
    @DisplayName("arrows point one way: values know no loaders, the runner knows the argv and nothing before it")
    void arrows_pointOneWay() {
        assertThat(CODE.get("EgressRule") + CODE.get("EgressAllowlist") + CODE.get("SessionId") + CODE.get("WorkloadUser")
                + CODE.get("SandboxProfile") + CODE.get("CapturedOutput") + CODE.get("OpenShellVersion"))
                .doesNotContainPattern("RuntimeConfig|PolicyDocument|OpenShellArgv|OpenShellRunner\\b|OpenShellCli");
        assertThat(CODE.get("PolicyDocuments") + CODE.get("PolicyDocument") + CODE.get("WrittenPolicy")
                + CODE.get("DurableFile") + CODE.get("PolicyDirectory") + CODE.get("PolicyOperation") + CODE.get("PolicySections"))
                .doesNotContainPattern("RuntimeConfig|OpenShellArgv|OpenShellRunner|OpenShellCli");
        assertThat(CODE.get("OpenShellArgv")).doesNotContainPattern("OpenShellRunner|OpenShellCli|RuntimeConfigLoader");
        assertThat(CODE.get("OpenShellRunner") + CODE.get("ProcessRunner") + CODE.get("ProcessRun") + CODE.get("ProcessPipe")
                + CODE.get("ProcessTree") + CODE.get("ProcessThread")).doesNotContainPattern(
                "RuntimeConfig|PolicyDocument|WrittenPolicy|EgressAllowlist|EgressRule|SessionId|WorkloadUser");
        assertThat(classesWith("\\bRealms\\b")).as("Realms stands on top").containsExactly("Realms");
        String realms = CODE.entrySet().stream()
                .filter(code -> code.getKey().matches("Realm(s|Opening|Closing|Reaping|Calls|Wait)"))
                .map(Map.Entry::getValue).collect(Collectors.joining());
        assertThat(realms).contains("OpenShellRunner").doesNotContainPattern("ProcessRun|OpenShellCli|\\bThread\\(|Executor");
    }
}
