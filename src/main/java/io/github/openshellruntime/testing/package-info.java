// SPDX-License-Identifier: Apache-2.0

/**
 * For the tests of a dispatcher: {@link io.github.openshellruntime.testing.InMemoryOpenShell} stands in for the
 * {@code openshell} CLI and its gateway, without a process and without a network.
 *
 * <p>It is made of the public API alone, so a dispatcher can write its own stand-in in the same way. A {@code null} argument
 * is a {@link java.lang.NullPointerException}.
 */
package io.github.openshellruntime.testing;
