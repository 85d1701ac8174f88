// SPDX-License-Identifier: Apache-2.0

// The hidden types, by their rooms. A room is the first word of a name; the public types of a room say the rest.
//
// Config    what RuntimeConfigLoader does
//   ConfigFile            reads the bytes of a config, or refuses the file
//   ConfigSchema          checks the keys and values of a document
//   ConfigReport          collects what is wrong; a grammar is a list of its clauses
//   ConfigImage           the grammar of an image reference
//   ConfigDeniedKeys      the denylist
//   ConfigKeySuggestion   which key a misspelt one was meant to be
// Json      strict JSON; no other type imports Jackson
//   JsonReader, JsonFault reads a document into a tree; says what is wrong where the parser stopped
//   JsonSource, JsonValue a document's text and its places; a value that knows where it stands
//   JsonWriter            writes canonical JSON
// Egress    what EgressAllowlist takes
//   EgressGrammar         the clauses of an entry and of a list
//   EgressNames           the lists of names in the resources
//   EgressZones           private zones, and what none of them lifts
// Policy    what PolicyDocuments renders and writes
//   PolicySections        the content of a policy
//   PolicyPath            which paths a policy can name
//   PolicyDirectory       where policies stand, and whether it can be trusted
//   PolicyOperation       what is being done, for the exceptions
//   DurableFile           exchanges a file atomically; the only type that writes to a disk
// Argv, Cli what OpenShellArgv builds, and what the CLI answers
//   ArgvLimits            the limits of OpenShell's gateway
//   CliAnswer, CliReport  reads an answer, or refuses it; the message of a report on standard error
// Process   what OpenShellRunner.of runs
//   ProcessRunner         starts a process; the only type that names ProcessBuilder
//   ProcessThread         the thread that a run works on
//   ProcessRun            follows a process to its end
//   ProcessPipe           takes what a stream announces
//   ProcessTree           kills a process and what descends from it
//   ProcessFiles          what /proc tells
// Realm     what Realms does
//   RealmOpening, RealmClosing, RealmReaping   one open, one close, one reap
//   RealmCalls            the calls that they make, and which realms are ours
//   RealmWait, RealmClock deadlines and growing pauses; the clock of a test
//   RealmPolicy           compares the policy in force with a document
// Advisory  AdvisoryRules finds what is probably not meant in a config
// Event     EventRun, EventPolicyWrite: the events of the Flight Recorder
// Text      Text: what is asked of characters; TextDigest: the one digest

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
 * Bad input is a {@link io.github.openshellruntime.RefusedException} with everything that is wrong, at most 20 problems of it;
 * a mistake of the program, such as a relative directory, is an {@link java.lang.IllegalArgumentException}. The disk is a {@link io.github.openshellruntime.PolicyWriteException}. A run without an outcome is an
 * {@link io.github.openshellruntime.OpenShellRunnerError}; a non-zero exit is an outcome. A realm that could not be opened or
 * closed is a {@link io.github.openshellruntime.RealmException}. No message of these, and no {@code toString()}, holds an
 * argument, an environment value or an output, but for versions and the names that a list gave; what a refusal may quote is in
 * its own documentation.
 *
 * <h2>Threads and null</h2>
 *
 * All types but exceptions, which can be given suppressed ones, and the builder are immutable and thread-safe. Only a run on a virtual thread before JDK 24 starts a thread;
 * methods that block say so. A {@code null} argument, or one in a list, is a {@link java.lang.NullPointerException}; nothing
 * returns {@code null}. Lists and maps are unmodifiable copies.
 *
 * <h2>Stability</h2>
 *
 * The public types of this package are the API, under semantic versioning; before 1.0 a minor version may break it. Enums
 * may get more constants in a minor version; none is renamed.
 */
package io.github.openshellruntime;
