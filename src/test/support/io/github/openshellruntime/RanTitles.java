// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Writes the title of each test that succeeded to {@code target/ran-titles.txt}, where CI counts the ids; says once which
 * suites are left out.
 */
public final class RanTitles implements BeforeAllCallback, TestWatcher {

    private static final Path FILE = Path.of("target/ran-titles.txt");

    @Override
    public void beforeAll(ExtensionContext context) {
        context.getRoot().getStore(ExtensionContext.Namespace.create(RanTitles.class)).computeIfAbsent("suites", key -> {
            System.out.println(System.getProperty("suites", ""));
            return key;
        });
    }

    @Override
    public void testSuccessful(ExtensionContext context) {
        String suite = context.getRequiredTestClass().getSimpleName();
        try {
            Files.createDirectories(FILE.getParent());
            // Titles hold hostile input, lone surrogates too, which only getBytes takes.
            Files.write(FILE, (suite + "\t" + context.getDisplayName().replaceAll("\\s+", " ") + "\n")
                    .getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
