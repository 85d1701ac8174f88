// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

/** Guesses which key an unknown one was meant to be. */
final class ConfigKeySuggestion {

    private ConfigKeySuggestion() {
    }

    /** {@code did you mean "image"?}, or nothing for a key that is far from all. A denied key is never suggested. */
    static String hint(String unknown) {
        String folded = ConfigDeniedKeys.fold(unknown);
        int nearest = Math.max(1, unknown.length() / 3) + 1;
        String suggestion = "";
        for (String key : ConfigSchema.KEYS) {
            int distance = distance(folded, ConfigDeniedKeys.fold(key));
            if (distance < nearest) {
                nearest = distance;
                suggestion = "did you mean \"" + key + "\"?";
            }
        }
        return suggestion;
    }

    /** Damerau-Levenshtein in its optimal string alignment form: insert, delete, replace, swap two neighbours. */
    static int distance(String from, String to) {
        int[] beforeLast = new int[to.length() + 1];
        int[] last = new int[to.length() + 1];
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            last[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replace = last[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replace, 1 + Math.min(last[j], row[j - 1]));
                boolean swapped = i > 1 && j > 1 && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1);
                if (swapped) {
                    row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
                }
            }
            int[] free = beforeLast;
            beforeLast = last;
            last = row;
            row = free;
        }
        return last[to.length()];
    }
}
