// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.Arrays;
import java.util.List;

/**
 * The hosts and ports that a workload may reach; an empty one allows nothing. It comes from a {@link RuntimeConfig}
 * alone, so each rule has passed the check below. Immutable and thread-safe; equal when the rules are.
 *
 * <h2>The grammar of an entry</h2>
 *
 * An entry of the config's {@code egressAllow} is {@code host} or {@code host:port}, such as {@code api.example.com},
 * {@code api.example.com:8443} or {@code *.example.org}; the port is 443 when absent. OpenShell itself checks almost
 * nothing of a host, so this check is the gate. No name is ever resolved. Each entry is refused with the first rule
 * that it breaks, and all entries are checked:
 *
 * <ol>
 *   <li>a string ({@link Problem.Rule#TYPE TYPE}), not empty ({@link Problem.Rule#EMPTY EMPTY}), of at most 262 UTF-16
 *       units ({@link Problem.Rule#LENGTH LENGTH});
 *   <li>ASCII alone ({@link Problem.Rule#NON_ASCII NON_ASCII}; a name in another script is written in its
 *       {@code xn--} form); no IPv6 address, which is an optional {@code [} and then only hex digits and dots up to a second
 *       colon, and no network, which is digits and dots, {@code /} and digits
 *       ({@link Problem.Rule#IP_LITERAL IP_LITERAL}); no {@code /} or {@code @} where every other character is one of
 *       {@code A-Za-z0-9.*-} and the colon ({@link Problem.Rule#URL URL}; with any other character the next rules decide);
 *   <li>before the first colon letters, digits, dots, hyphens and {@code *} ({@link Problem.Rule#CHARSET CHARSET}), and
 *       something ({@code EMPTY}); behind it {@code 1} to {@code 65535} without sign or leading zero
 *       ({@link Problem.Rule#PORT PORT}), and none of 2379, 2380, 6443, 10250, 10255
 *       ({@link Problem.Rule#PORT_BLOCKED PORT_BLOCKED});
 *   <li>in lower case from here on: no dot at the end ({@link Problem.Rule#TRAILING_DOT TRAILING_DOT}), no empty label
 *       ({@link Problem.Rule#EMPTY_LABEL EMPTY_LABEL}), at most 253 characters, a {@code *.} included
 *       ({@code LENGTH});
 *   <li>{@code *} only as the whole first label, with at least two labels after it
 *       ({@link Problem.Rule#WILDCARD WILDCARD}): it stands for exactly one label, so {@code *.example.com} is neither
 *       {@code example.com} nor {@code a.b.example.com}; labels of 1 to 63 letters, digits and hyphens, without a
 *       hyphen at either end ({@link Problem.Rule#LABEL LABEL});
 *   <li>no last label that makes it an address: all digits, or {@code 0x} and hex digits ({@code IP_LITERAL}); none of
 *       {@code localhost local internal test invalid example onion alt arpa} ({@link Problem.Rule#SPECIAL_USE SPECIAL_USE});
 *       at least two labels ({@link Problem.Rule#SINGLE_LABEL SINGLE_LABEL}); a last label that ends a rule of the Public
 *       Suffix List; the message names the version that this library ships
 *       ({@link Problem.Rule#NOT_PUBLIC_TLD NOT_PUBLIC_TLD});
 *   <li>no metadata service of a cloud, nothing below one, and no wildcard that would match one
 *       ({@link Problem.Rule#METADATA METADATA}); no service that resolves names to the addresses that they spell or to the
 *       machine itself, nothing below one, and no wildcard that would match one
 *       ({@link Problem.Rule#REBIND_SERVICE REBIND_SERVICE}); no wildcard over a suffix that strangers share, such as
 *       {@code *.github.io} ({@link Problem.Rule#SHARED_SUFFIX SHARED_SUFFIX}): a public suffix by the algorithm of that
 *       list, its private section included, what has a wildcard rule directly below it, a short list of our own, and
 *       whatever is at or below {@code amazonaws.com} or {@code amazonaws.com.cn}. A base below a suffix is one customer's
 *       own name and is taken. The metadata names, the rebinding services and our own suffixes are curated and not
 *       complete; an outdated list refuses more, or takes a wildcard over a newer suffix.
 * </ol>
 *
 * For the whole list, an entry that says the same as an earlier one is a {@link Problem.Rule#DUPLICATE DUPLICATE}, and more
 * than 128 elements are one {@link Problem.Rule#COUNT COUNT}. A missing key and {@code []} mean no egress.
 *
 * <p>This check cannot see the address behind a name. A public name may resolve to a private address, and OpenShell lets an
 * exact host do so; a wildcard also opens a way out through the labels of DNS queries.
 */
public final class EgressAllowlist {

    private final List<EgressRule> rules;
    private final List<EgressRule> asWritten;

    /** @param distinct in the order of the config's entries, one each */
    EgressAllowlist(List<EgressRule> distinct) {
        this.asWritten = distinct;
        EgressRule[] sorted = distinct.toArray(EgressRule[]::new);
        Arrays.sort(sorted, EgressRule.ORDER);
        this.rules = List.of(sorted);
    }

    /** Returns the rules, sorted by host (ASCII) and then by port as a number, free of duplicates; unmodifiable. */
    public List<EgressRule> rules() {
        return rules;
    }

    /** The rules in the order of the config's entries, whose index is an entry's. */
    List<EgressRule> asWritten() {
        return asWritten;
    }

    /** Returns whether nothing is allowed. */
    public boolean isEmpty() {
        return rules.isEmpty();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EgressAllowlist that && rules.equals(that.rules);
    }

    @Override
    public int hashCode() {
        return rules.hashCode();
    }

    /** Returns the rules as {@code [host:port, ...]}. */
    @Override
    public String toString() {
        return rules.toString();
    }
}
