// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("SessionId")
class SessionIdTest {

    @ParameterizedTest(name = "RT-03 \"{0}\" is taken")
    @ValueSource(strings = {"a", "0", "con", "1-2", "a-b-c", "abcdefghijklm", "0123456789012"})
    void of_takesTheForm(String id) {
        SessionId session = SessionId.of(id);

        assertThat(session.value()).isEqualTo(id);
        assertThat(session.sandboxName()).isEqualTo("realm-" + id);
        assertThat(session.sandboxName().length()).isLessThanOrEqualTo(19);
        assertThat(SessionId.fromSandboxName(session.sandboxName())).isEqualTo(session).hasSameHashCodeAs(session);
    }

    @ParameterizedTest(name = "RT-03, R32, R50 refused: {0}")
    @ValueSource(strings = {"", "-", "-a", "a-", "a--b", "A", "Ab", "é", "e\u0301", "a_b", "a.b", ".", "..", "a/b", "a b",
        "a\n", "\0", "-rf", "--help", "--policy=/x", "abcdefghijklmn", "\uff41", "\ud800"})
    void of_refusesAnythingElse(String id) {
        RefusedException refusal = Refusals.of(() -> SessionId.of(id));

        assertThat(refusal.code()).isEqualTo(RefusedException.Code.SESSION_ID_INVALID);
        assertThat(Refusals.summary(refusal)).containsExactly("SESSION_ID ");
        if (id.length() > 2) {
            assertThat(refusal.getMessage()).doesNotContain(id);
        }
    }

    @Test
    @DisplayName("RT-03 derive gives 13 characters, the same on every machine")
    void derive_isStable() {
        // Made with coreutils: printf %s ID | sha256sum, then base32, first 13 characters in lower case.
        assertThat(SessionId.derive("123e4567-e89b-12d3-a456-426614174000").value()).isEqualTo("tbwa3skw3sbcw");
        assertThat(SessionId.derive("é").value()).isEqualTo("jkmvk7sagpbvh");
        assertThat(SessionId.derive("é")).isEqualTo(SessionId.derive(
                new String(new byte[] {(byte) 0xC3, (byte) 0xA9}, StandardCharsets.UTF_8)));
    }

    @Test
    @DisplayName("RT-03 what derive gives is an id")
    void derive_givesAnId() {
        for (int i = 0; i < 1_000; i++) {
            String value = SessionId.derive(new UUID(i, 31L * i).toString()).value();
            assertThat(SessionId.of(value).value()).hasSize(13).matches("[a-z2-7]{13}");
        }
    }

    @Test
    @DisplayName("RT-03 derive refuses what has no bytes")
    void derive_refuses() {
        for (String bad : new String[] {"", "\ud800", "a\udc00b"}) {
            RefusedException refusal = Refusals.of(() -> SessionId.derive(bad));
            assertThat(refusal.code()).isEqualTo(RefusedException.Code.SESSION_ID_INVALID);
        }
    }

    @Test
    @DisplayName("RT-03 only names of realms lead back")
    void fromSandboxName_refusesOthers() {
        for (String bad : new String[] {"", "realm-", "realm", "a", "other-a", "Realm-a", "realm--a", " realm-a"}) {
            assertThat(Refusals.of(() -> SessionId.fromSandboxName(bad)).code())
                    .isEqualTo(RefusedException.Code.SESSION_ID_INVALID);
        }
        assertThatThrownBy(() -> SessionId.of(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> SessionId.derive(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> SessionId.fromSandboxName(null)).isInstanceOf(NullPointerException.class);
    }
}
