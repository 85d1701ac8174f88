// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.openshellruntime.testing.InMemoryOpenShell;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Compares the public API of the compiled classes with {@code public-api.txt}. A difference that is meant: copy
 * {@code target/public-api.txt} over the resource.
 */
@DisplayName("Public API")
class PublicApiTest {

    private static final Path CLASSES = Path.of("target/classes/io/github/openshellruntime");

    private static List<Class<?>> publicClasses() throws Exception {
        List<Class<?>> classes = new ArrayList<>();
        try (Stream<Path> files = Files.walk(CLASSES)) {
            for (Path file : files.sorted().toList()) {
                String name = CLASSES.relativize(file).toString();
                if (name.endsWith(".class") && !name.endsWith("package-info.class")) {
                    Class<?> type = Class.forName("io.github.openshellruntime." + name.replace(".class", "").replace('/', '.'));
                    if (isVisible(type)) {
                        classes.add(type);
                    }
                }
            }
        }
        return classes;
    }

    private static boolean isVisible(Class<?> type) {
        return Modifier.isPublic(type.getModifiers())
                && (type.getEnclosingClass() == null || isVisible(type.getEnclosingClass()));
    }

    private static List<String> describe(Class<?> type) {
        List<String> members = new ArrayList<>();
        if (type.isEnum()) {
            members.add("  " + Arrays.stream(type.getEnumConstants()).map(Object::toString).collect(Collectors.joining(" ")));
        } else {
            for (Field field : type.getDeclaredFields()) {
                // Tools that count coverage add public fields of their own; javac gives such a name to no constant.
                if (isPublic(field.getModifiers()) && field.getName().indexOf('$') < 0) {
                    members.add("  " + Modifier.toString(field.getModifiers()) + " " + name(field.getGenericType()) + " "
                            + field.getName());
                }
            }
            for (Constructor<?> constructor : type.getDeclaredConstructors()) {
                if (isPublic(constructor.getModifiers())) {
                    members.add("  constructor" + signature(constructor));
                }
            }
        }
        for (Method method : type.getDeclaredMethods()) {
            boolean ofEveryEnum = type.isEnum() && List.of("values", "valueOf").contains(method.getName());
            if (isPublic(method.getModifiers()) && !method.isSynthetic() && !ofEveryEnum) {
                String isStatic = Modifier.isStatic(method.getModifiers()) ? "static " : "";
                members.add("  " + isStatic + name(method.getGenericReturnType()) + " " + method.getName() + signature(method));
            }
        }
        members.sort(null);
        members.add(0, header(type));
        return members;
    }

    private static String header(Class<?> type) {
        String kind = type.isEnum() ? "enum" : type.isInterface() ? "public interface" : Modifier.toString(type.getModifiers() & ~Modifier.STATIC) + " class";
        String parent = type.isInterface() || type.getSuperclass() == Object.class || type.isEnum() ? "" : " extends " + name(type.getSuperclass());
        String interfaces = type.getInterfaces().length == 0 ? ""
                : " implements " + Arrays.stream(type.getGenericInterfaces()).map(PublicApiTest::name).collect(Collectors.joining(", "));
        return kind + " " + name(type) + parent + interfaces;
    }

    private static String signature(Executable executable) {
        String parameters = Arrays.stream(executable.getGenericParameterTypes()).map(PublicApiTest::name)
                .collect(Collectors.joining(", ", "(", ")"));
        String thrown = Arrays.stream(executable.getExceptionTypes()).map(PublicApiTest::name).collect(Collectors.joining(", "));
        return parameters + (thrown.isEmpty() ? "" : " throws " + thrown);
    }

    private static boolean isPublic(int modifiers) {
        return (modifiers & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0;
    }

    private static String name(Type type) {
        return type.getTypeName().replaceAll("(\\w+\\.)+(?=[A-Z])", "").replace('$', '.');
    }

    @Test
    @DisplayName("is what public-api.txt says")
    void api_isAsWritten() throws Exception {
        List<String> api = publicClasses().stream().flatMap(type -> describe(type).stream()).toList();
        Files.write(Path.of("target/public-api.txt"), api);

        String written;
        try (var in = PublicApiTest.class.getResourceAsStream("public-api.txt")) {
            written = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }

        assertThat(String.join("\n", api) + "\n").isEqualTo(written);
    }

    @Test
    @DisplayName("has final classes, no public constructor but that of InMemoryOpenShell, no record, no type of Jackson")
    void api_keepsTheHouseRules() throws Exception {
        for (Class<?> type : publicClasses()) {
            assertThat(Modifier.isFinal(type.getModifiers()) || type == OpenShellRunner.class).as(type.getName()).isTrue();
            assertThat(type.isRecord()).as(type.getName()).isFalse();
            assertThat(type.getConstructors()).as(type.getName()).hasSize(type == InMemoryOpenShell.class ? 1 : 0);
            assertThat(String.join("\n", describe(type))).doesNotContain("fasterxml", "JsonNode", "protected");
        }
    }

    @Test
    @DisplayName("is what the module exports: two packages, one class in the one for tests")
    void module_exportsBothPackages() throws Exception {
        assertThat(publicClasses()).filteredOn(type -> !type.getPackage().equals(OpenShellRunner.class.getPackage()))
                .containsExactly(InMemoryOpenShell.class);
        ModuleDescriptor module;
        try (var in = Files.newInputStream(Path.of("target/classes/module-info.class"))) {
            module = ModuleDescriptor.read(in);
        }
        assertThat(module.exports()).extracting(ModuleDescriptor.Exports::source)
                .containsExactlyInAnyOrder("io.github.openshellruntime", "io.github.openshellruntime.testing");
    }

    @Test
    @DisplayName("refusals and errors are RuntimeExceptions, the write exception is an IOException, directly")
    void exceptions_haveTheirParents() {
        assertThat(RefusedException.class.getSuperclass()).isEqualTo(RuntimeException.class);
        assertThat(OpenShellRunnerError.class.getSuperclass()).isEqualTo(RuntimeException.class);
        assertThat(PolicyWriteException.class.getSuperclass()).isEqualTo(java.io.IOException.class);
    }
}
