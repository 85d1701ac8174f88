// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * The name of a session as OpenShell can carry it: 1 to 13 characters, {@code [a-z0-9]+(-[a-z0-9]+)*}. OpenShell takes a
 * sandbox name of 19 bytes and no {@code --} in it, and {@code realm-} needs six of them. The grammar has one spelling
 * for each id, so two ids never share a policy file. Immutable and thread-safe; equal when the values are.
 *
 * <p>A refusal never shows the id.
 */
public final class SessionId {

    private static final String PREFIX = "realm-";
    private static final int MAX_LENGTH = 13;
    private static final Pattern ID = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");
    private static final String BASE_32 = "abcdefghijklmnopqrstuvwxyz234567";
    private static final int BITS_PER_CHARACTER = 5;

    private final String value;

    private SessionId(String value) {
        this.value = value;
    }

    /**
     * Takes an id that already has the form.
     *
     * @throws RefusedException with {@link RefusedException.Code#SESSION_ID_INVALID} if it has not
     */
    public static SessionId of(String id) {
        if (!isId(id)) {
            throw refused("must be 1 to " + MAX_LENGTH + " lower-case letters and digits with single hyphens between them",
                    "SessionId.derive makes one of any id, such as a UUID");
        }
        return new SessionId(id);
    }

    /**
     * Derives an id from any other, such as a UUID: the first 65 bits of the SHA-256 of its UTF-8 bytes as 13 characters
     * of base 32 ({@code a-z2-7}). The same input gives the same id on every machine, and case matters. Two inputs share one with
     * a probability of 2<sup>-65</sup>; whoever may choose inputs finds such a pair after about 2<sup>33</sup> tries.
     *
     * <p>Do not mix it with {@link #of} for ids that strangers choose: {@code of(derive(x).value())} equals {@code derive(x)}.
     *
     * @throws RefusedException with {@link RefusedException.Code#SESSION_ID_INVALID} for an empty text and one with a lone
     *         surrogate, which has no UTF-8
     */
    public static SessionId derive(String anyId) {
        if (anyId.isEmpty() || Text.hasLoneSurrogate(anyId)) {
            throw refused("must not be empty and must have no lone surrogate", "");
        }
        BigInteger digest = new BigInteger(1, TextDigest.of(anyId.getBytes(StandardCharsets.UTF_8)));
        StringBuilder id = new StringBuilder();
        for (int i = 1; i <= MAX_LENGTH; i++) {
            int fromTheTop = digest.shiftRight(256 - i * BITS_PER_CHARACTER).intValue();
            id.append(BASE_32.charAt(fromTheTop & BASE_32.length() - 1));
        }
        return new SessionId(id.toString());
    }

    /**
     * Takes the id out of a sandbox name that {@link #sandboxName()} made.
     *
     * @throws RefusedException with {@link RefusedException.Code#SESSION_ID_INVALID} for any other name
     */
    public static SessionId fromSandboxName(String sandboxName) {
        if (!sandboxName.startsWith(PREFIX)) {
            throw refused("must be " + PREFIX + " and a session id", "this is not the name of a realm");
        }
        return of(sandboxName.substring(PREFIX.length()));
    }

    /** Whether {@link #fromSandboxName} would take a name. */
    static boolean isSandboxName(String sandboxName) {
        return sandboxName.startsWith(PREFIX) && isId(sandboxName.substring(PREFIX.length()));
    }

    private static boolean isId(String id) {
        return id.length() <= MAX_LENGTH && ID.matcher(id).matches();
    }

    private static RefusedException refused(String message, String hint) {
        return RefusedException.of(RefusedException.Code.SESSION_ID_INVALID, "session id",
                Problem.of(Problem.Rule.SESSION_ID, "", message, hint));
    }

    /** Returns the id itself. */
    public String value() {
        return value;
    }

    /** Returns {@code realm-} and the id: the name of the sandbox. */
    public String sandboxName() {
        return PREFIX + value;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SessionId that && value.equals(that.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    /** Returns the id itself. */
    @Override
    public String toString() {
        return value;
    }
}
