// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A message that the CLI reports on standard error. A report looks so, wrapped at about 80 columns, and lines of others may
 * stand before it:
 *
 * <pre>
 * Error:   × code: 'Some requested entity was not found', message: "sandbox not
 *   │ found"
 * </pre>
 *
 * or, where there is no code:
 *
 * <pre>
 * Error:   × sandbox 'realm-a' already exists
 *   │
 *   │ hint: delete it first with: openshell sandbox delete &lt;name>
 * </pre>
 *
 * <p>The message is what follows the first {@code message: "}, and where there is none, what follows {@code Error:}. All of it
 * has to be the expected one: {@code sandbox}, a quoted name or none, the predicate. After it comes nothing but the closing
 * quote and further fields ({@code , source: ...}); without a code, a line end and a hint.
 */
enum CliReport {
    NOT_FOUND("not found"),
    ALREADY_EXISTS("already exists");

    private static final Pattern FRAME = Pattern.compile("[\\u2500-\\u257F\\u25B6\\u00D7]");
    private static final Pattern SPACE = Pattern.compile("\\s+");
    private static final Pattern START = Pattern.compile("^Error:\\s*", Pattern.MULTILINE);
    private static final Pattern CODED = Pattern.compile("(?:^|,\\s)message:\\s\"", Pattern.MULTILINE);

    private final Pattern behindCode;
    private final Pattern withoutCode;

    CliReport(String predicate) {
        // A quote in a message behind a code is escaped.
        String message = "sandbox\\s(?:(?:'[^'\"]+'|\\\\?\"[^'\"\\\\]+\\\\?\")\\s)?" + predicate.replace(" ", "\\s");
        behindCode = Pattern.compile(message + "\"\\s?(?:,\\s?[a-z_]+:.*)?", Pattern.DOTALL);
        withoutCode = Pattern.compile(message + "\\n(?:hint:.*)?", Pattern.DOTALL);
    }

    /** Whether this, and nothing else, is the message of the first report in {@code stderr}. */
    boolean isIn(String stderr) {
        String plain = unwrapped(stderr);
        Matcher start = START.matcher(plain);
        boolean started = start.find();
        String report = started ? plain.substring(start.end()) : plain;
        Matcher code = CODED.matcher(report);
        if (code.find()) {
            return behindCode.matcher(report.substring(code.end())).matches();
        }
        return started && withoutCode.matcher(report).matches();
    }

    /** The text without its frame; white space is one space, or one line feed where it has a line end. */
    private static String unwrapped(String stderr) {
        return SPACE.matcher(FRAME.matcher(stderr).replaceAll(" "))
                .replaceAll(space -> space.group().indexOf('\n') < 0 ? " " : "\n");
    }
}
