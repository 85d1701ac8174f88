// SPDX-License-Identifier: Apache-2.0

/**
 * Runs each session of a dispatcher in an OpenShell sandbox, a <em>realm</em>, by way of the {@code openshell} CLI.
 *
 * <h2>The tour</h2>
 *
 * Data goes one way through the types; each stage takes only what the one before it has checked:
 *
 * <ol>
 *   <li>{@link io.github.openshellruntime.RuntimeConfigLoader} reads a config file and gives a
 *       {@link io.github.openshellruntime.RuntimeConfig}, whose {@link io.github.openshellruntime.EgressAllowlist} is what the
 *       workload may reach;
 *   <li>{@link io.github.openshellruntime.PolicyDocuments} renders the
 *       {@link io.github.openshellruntime.PolicyDocument} for a {@link io.github.openshellruntime.SandboxProfile} and writes it
 *       for a {@link io.github.openshellruntime.SessionId}: the {@link io.github.openshellruntime.WrittenPolicy} is proof of
 *       that;
 *   <li>{@link io.github.openshellruntime.OpenShellArgv} builds the frozen argv of each call; create wants the proof;
 *   <li>{@link io.github.openshellruntime.OpenShellCli} is proof of a CLI that knows these forms, with its
 *       {@link io.github.openshellruntime.OpenShellEnvironment};
 *   <li>{@link io.github.openshellruntime.OpenShellRunner} runs an argv under
 *       {@link io.github.openshellruntime.OpenShellRunOptions} and gives an
 *       {@link io.github.openshellruntime.OpenShellRunOutcome}, of which
 *       {@link io.github.openshellruntime.RealmState}, {@link io.github.openshellruntime.SandboxPhase} and
 *       {@link io.github.openshellruntime.RealmPage} read the answers to get and list;
 *   <li>{@link io.github.openshellruntime.Realms} does all of it for a session: open, use, close, and reap.
 * </ol>
 *
 * A {@link io.github.openshellruntime.LaunchPlan} shows all of it before anything is done, and
 * {@link io.github.openshellruntime.RuntimeConfig#advisories()} what is probably not meant.
 *
 * <h2>What goes wrong</h2>
 *
 * Bad input is a {@link io.github.openshellruntime.RefusedException} with everything that is wrong, before anything is
 * written or started. The disk is a {@link io.github.openshellruntime.PolicyWriteException}. A run without an outcome is an
 * {@link io.github.openshellruntime.OpenShellRunnerError}; a non-zero exit is an outcome. A realm that could not be opened or
 * closed is a {@link io.github.openshellruntime.RealmException}. No message of these, and no {@code toString()}, holds an
 * argument, an output or an environment value; what a refusal may quote is in its own documentation.
 *
 * <h2>Threads and null</h2>
 *
 * All types but the builder are immutable and thread-safe. Nothing starts a thread, but for a run that is called on a virtual
 * thread before JDK 24; what blocks says so. A {@code null} argument, or one in a list, is a
 * {@link java.lang.NullPointerException}; nothing returns {@code null}. Lists and maps are unmodifiable copies.
 *
 * <h2>Stability</h2>
 *
 * The public types of this package are the API, under semantic versioning; before 1.0 a minor version may break it. Enums
 * may get more constants in a minor version; none is renamed.
 */
package io.github.openshellruntime;
