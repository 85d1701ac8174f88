// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.Objects;

/**
 * One thing that is wrong with refused input: which rule, where, and what to do instead. Immutable and thread-safe.
 *
 * <p>{@link #message()} and {@link #hint()} quote only what {@link RefusedException} says that it quotes.
 * {@link #pointer()} is raw: it may hold whatever the keys of the document hold, control characters included.
 * {@link RefusedException#getMessage()} shows it escaped and cut.
 */
public final class Problem {

    /**
     * The rules. {@code toString()} is {@code name()}. Constants may be added in a minor release and are never renamed;
     * a {@code switch} over them needs a default.
     */
    public enum Rule {
        /** The config file is not there, or is a link to nothing. */
        FILE_NOT_FOUND,
        /** The config path names a directory, a FIFO, a socket or a device. It was not opened. */
        FILE_NOT_REGULAR,
        /** The config file cannot be opened or read: permissions, a loop of links, a path below a file, an I/O error. */
        FILE_UNREADABLE,
        /** The config is longer than 1 MiB (1,048,576 bytes). */
        FILE_TOO_BIG,
        /** The config file was exchanged or changed while it was read. */
        FILE_CHANGED,
        /** The config has no bytes, or nothing but white space. */
        FILE_EMPTY,
        /** The config is not plain UTF-8: a NUL byte, a byte order mark, or a malformed sequence. */
        ENCODING,
        /** The config is not JSON as RFC 8259 has it. */
        SYNTAX,
        /** The config goes over a limit of the reader: depth, length of a key, a string or a number, or tokens. */
        LIMIT,
        /** Something follows the config's one JSON value. */
        TRAILING,
        /** The config's JSON value is not an object. */
        ROOT_TYPE,
        /** A key that could take the workload out of its sandbox, at any depth and in any spelling. */
        DENIED_KEY,
        /** A key of the root that stands there a second time. */
        DUPLICATE_KEY,
        /** A key of the root that this library does not know. */
        UNKNOWN_KEY,
        /** A key that must be there is missing. */
        REQUIRED,
        /** A value of another JSON type than the key's. Nothing is converted, and {@code null} fits no key. */
        TYPE,
        /** A value of the right type that its key does not take. */
        VALUE,
        /** An egress entry without a host. */
        EMPTY,
        /** An egress entry of more than 262 UTF-16 units, or a host of more than 253. */
        LENGTH,
        /** An egress entry with a character above U+007F. */
        NON_ASCII,
        /** An egress entry that is an IP address or a network, in any of their spellings. */
        IP_LITERAL,
        /** An egress entry with {@code /} or {@code @}, as a URL has, and no other character that a host and a port have not. */
        URL,
        /** An egress entry whose host has a character other than letters, digits, dot, hyphen and {@code *}. */
        CHARSET,
        /** An egress entry whose port is not a plain number from 1 to 65535. */
        PORT,
        /** A port that OpenShell accepts in a policy and then denies: 2379, 2380, 6443, 10250, 10255. */
        PORT_BLOCKED,
        /** An egress host that ends in a dot. */
        TRAILING_DOT,
        /** An egress host with nothing between two dots, or before the first. */
        EMPTY_LABEL,
        /** A {@code *} that is not the whole first label, or has fewer than two labels after it. */
        WILDCARD,
        /** A label that is not 1 to 63 letters, digits and hyphens with no hyphen at either end. */
        LABEL,
        /** A host under a name that the public DNS does not serve, such as {@code local} or {@code internal}. */
        SPECIAL_USE,
        /** A host of one label. */
        SINGLE_LABEL,
        /** A host whose last label is not a top-level domain of the Public Suffix List that this library ships. */
        NOT_PUBLIC_TLD,
        /** The name of a cloud's metadata service, one below it, or a wildcard that would match one. */
        METADATA,
        /** A service whose names resolve to the address that they spell, a name below it, or a wildcard that matches it. */
        REBIND_SERVICE,
        /** A wildcard over a suffix below which names belong to strangers. */
        SHARED_SUFFIX,
        /** An egress entry that says the same as an earlier one. */
        DUPLICATE,
        /** More than 128 egress entries. */
        COUNT,
        /** A session id that cannot be part of a sandbox name. */
        SESSION_ID,
        /** A command with no element, or with an empty first one. */
        COMMAND_EMPTY,
        /** A command of more elements than OpenShell takes. */
        ARGUMENT_COUNT,
        /** An argument, or all of them together, longer than OpenShell takes. */
        ARGUMENT_SIZE,
        /** An argument with a NUL, a lone surrogate, or a character that this JVM cannot hand over. */
        ARGUMENT_CHARACTER,
        /** A page token that is not 1 to 4,096 printable ASCII characters. */
        PAGE_TOKEN,
        /** A written policy that is not the one of this config. */
        POLICY_MISMATCH,
        /** A workload binary that is not a plain absolute path. */
        WORKLOAD_BINARY
    }

    private final Rule rule;
    private final String pointer;
    private final int line;
    private final int column;
    private final String message;
    private final String hint;

    Problem(Rule rule, String pointer, int line, int column, String message, String hint) {
        this.rule = rule;
        this.pointer = pointer;
        this.line = line;
        this.column = column;
        this.message = message;
        this.hint = hint;
    }

    /** A problem without a place in a source. */
    static Problem of(Rule rule, String pointer, String message, String hint) {
        return new Problem(rule, pointer, 0, 0, message, hint);
    }

    /** Returns the rule that refuses the input. */
    public Rule rule() {
        return rule;
    }

    /**
     * Returns the RFC 6901 pointer to the value or key at fault, such as {@code /egressAllow/2}; {@code ""} stands for
     * the whole. Raw: neither escaped for display nor cut.
     */
    public String pointer() {
        return pointer;
    }

    /** Returns the line, counted from 1 and ended by LF, CR or CRLF; 0 when the problem has no place in a source. */
    public int line() {
        return line;
    }

    /** Returns the column in UTF-16 units, counted from 1, a tab being one; 0 when there is no place. */
    public int column() {
        return column;
    }

    /** Returns what is wrong, in printable ASCII on one line. */
    public String message() {
        return message;
    }

    /** Returns what to do instead, in printable ASCII on one line; {@code ""} when there is nothing to say. */
    public String hint() {
        return hint;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Problem that
                && rule == that.rule
                && pointer.equals(that.pointer)
                && line == that.line
                && column == that.column
                && message.equals(that.message)
                && hint.equals(that.hint);
    }

    @Override
    public int hashCode() {
        return Objects.hash(rule, pointer, line, column, message, hint);
    }

    /** Returns the problem as one line of a report: {@code line:column  pointer  RULE  message (hint)}. */
    @Override
    public String toString() {
        String place = line + ":" + column;
        String shown = pointer.isEmpty() ? "\"\"" : Text.printable(pointer);
        String advice = hint.isEmpty() ? "" : " (" + hint + ")";
        return place + "  " + shown + "  " + rule + "  " + message + advice;
    }
}
