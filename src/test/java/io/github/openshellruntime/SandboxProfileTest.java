// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("SandboxProfile")
class SandboxProfileTest {

    private static final SandboxProfile STANDARD = SandboxProfile.standard();

    private static String[] numbered(int count) {
        return IntStream.range(0, count).mapToObj(i -> "/d" + i).toArray(String[]::new);
    }

    @Test
    @DisplayName("calls add; the directories are sorted, whatever their order; the profile itself never changes")
    void readable_adds() {
        SandboxProfile profile = STANDARD.withReadable("/models", "/app").withUser(WorkloadUser.imageUser()).withReadable("/data");

        assertThat(profile.readable()).containsExactly("/app", "/data", "/models").isUnmodifiable();
        assertThat(profile.user()).isEqualTo(WorkloadUser.imageUser());
        assertThat(profile).isEqualTo(STANDARD.withUser(WorkloadUser.imageUser()).withReadable("/data", "/models", "/app"))
                .hasToString("SandboxProfile[user=image user, readable=[/app, /data, /models]]");
        assertThat(STANDARD.readable()).isEmpty();
        assertThat(STANDARD.user()).isEqualTo(WorkloadUser.standard());
        assertThat(STANDARD.withReadable()).isEqualTo(STANDARD);
    }

    @ParameterizedTest(name = "taken: {0}")
    @ValueSource(strings = {"/app", "/a", "/usr", "/opt/openshell", "/workspace/x", "/var", "/var/running", "/runs", "/system", "/rooted",
        "/procs", "/devs", "/.openshells", "/home/u", "/a!#$%&'()+,-./0~", "/..."})
    void readable_takes(String directory) {
        assertThat(STANDARD.withReadable(directory).readable()).containsExactly(directory);
    }

    @ParameterizedTest(name = "refused: {0}")
    @ValueSource(strings = {"", "/", "app", "./app", "~/app", "/app/", "//app", "/app//x", "/./app", "/app/..", "/../app", "/a b", "/é", "/a\0",
        "/a\n", "/a*", "/a?", "/[a]", "/{a}", "/a\\b", "/a\"b", "/proc", "/proc/self", "/sys", "/sys/x", "/dev", "/dev/zero", "/run",
        "/run/x", "/var/run", "/var/run/x", "/.openshell", "/.openshell/x", "/root", "/root/.config"})
    void readable_refuses(String directory) {
        assertThatThrownBy(() -> STANDARD.withReadable("/app2", directory)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("a readable directory must ");
    }

    @Test
    @DisplayName("the limits hold for all directories together: 32 of 255 bytes")
    void readable_isBounded() {
        assertThat(STANDARD.withReadable(numbered(31)).withReadable("/e").readable()).hasSize(32);
        assertThatThrownBy(() -> STANDARD.withReadable(numbered(33))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 32");
        assertThatThrownBy(() -> STANDARD.withReadable(numbered(32)).withReadable("/e"))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("at most 32");
        assertThat(STANDARD.withReadable("/" + "x".repeat(254)).readable()).hasSize(1);
        assertThatThrownBy(() -> STANDARD.withReadable("/" + "x".repeat(255))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 255 bytes");
    }

    @Test
    @DisplayName("no directory may be another of the profile or lie below it, in one call or in two")
    void readable_coversNothingTwice() {
        for (List<String> pair : List.of(List.of("/app", "/app"), List.of("/app", "/app/x/y"), List.of("/app/x/y", "/app"))) {
            assertThatThrownBy(() -> STANDARD.withReadable(pair.get(0), pair.get(1))).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another of the profile");
            assertThatThrownBy(() -> STANDARD.withReadable(pair.get(0)).withReadable(pair.get(1)))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("another of the profile");
        }
        assertThat(STANDARD.withReadable("/app", "/app2", "/app-x").readable()).hasSize(3);
    }

    @Test
    @DisplayName("a message shows a directory only where it is plain, and cut at 64 characters")
    void messages_showLittle() {
        assertThatThrownBy(() -> STANDARD.withReadable("/run/x")).hasMessageEndingWith("; got /run/x");
        assertThatThrownBy(() -> STANDARD.withReadable("/run/x\n")).hasMessageNotContaining("\n").hasMessageNotContaining("got");
        assertThatThrownBy(() -> STANDARD.withReadable("/" + "x".repeat(300))).hasMessageEndingWith("; got /" + "x".repeat(63) + "...");
    }

    @Test
    @DisplayName("null is a NullPointerException")
    void nulls() {
        assertThatThrownBy(() -> STANDARD.withUser(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> STANDARD.withReadable((String[]) null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> STANDARD.withReadable("/a", null)).isInstanceOf(NullPointerException.class);
    }
}
