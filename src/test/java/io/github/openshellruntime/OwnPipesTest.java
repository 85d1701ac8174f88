// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("OwnPipes")
class OwnPipesTest {

    @Test
    @DisplayName("our pipes are those that we no longer hold once they are closed, whoever else closes one meanwhile")
    void names_areThoseOfWhatWasClosed() throws Exception {
        Process ours = new ProcessBuilder("sleep", "60").start();
        Process neighbour = new ProcessBuilder("sleep", "60").start();
        Process third = new ProcessBuilder("sleep", "60").start();
        try {
            Set<String> pipes = OwnPipes.atOutput(ours.pid());
            assertThat(pipes).hasSize(2).allMatch(name -> name.startsWith("pipe:["));

            assertThat(OwnPipes.closeAndName(() -> closeStreams(ours), OwnPipes.atOutput(neighbour.pid())))
                    .isEqualTo(pipes);

            Set<String> neighbours = OwnPipes.atOutput(neighbour.pid());
            assertThat(OwnPipes.closeAndName(() -> {
                closeStreams(neighbour);
                closeStreams(third);
            }, neighbours)).isEqualTo(neighbours);
        } finally {
            List.of(ours, neighbour, third).forEach(Process::destroyForcibly);
        }
    }

    @Test
    @DisplayName("a pipe is ours by its reading end: no file counts, nor a writing end that this JVM still has")
    void names_areReadingEnds(@TempDir Path dir) throws Exception {
        FileChannel file = FileChannel.open(Files.createFile(dir.resolve("file")), StandardOpenOption.READ);
        assertThat(OwnPipes.closeAndName(() -> close(file), Set.of())).isEmpty();

        Pipe pipe = Pipe.open();
        try {
            assertThat(OwnPipes.closeAndName(() -> close(pipe.source()), Set.of())).hasSize(1);
        } finally {
            pipe.sink().close();
        }
    }

    private static void close(Closeable open) {
        try {
            open.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void closeStreams(Process process) {
        close(process.getInputStream());
        close(process.getErrorStream());
    }
}
