// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Keys that would take the workload out of its sandbox: refused at any depth, whatever their value. */
final class ConfigDeniedKeys {

    private static final String NETWORK = "it would take the workload out of the sandbox's own network";
    private static final String NETWORK_INSTEAD = "open single hosts with egressAllow";
    private static final String DRIVER =
            "it would hand settings to the driver beneath the sandbox, past every check of OpenShell";
    private static final String DRIVER_INSTEAD = "remove it; the sandbox's image is chosen with image";

    private static final List<String> NETWORK_KEYS = List.of("network", "networkMode", "hostNetwork", "netns");
    private static final List<String> DRIVER_KEYS = List.of("driverConfig", "driverConfigJson");

    /** Folded name to the name of the list. */
    private static final Map<String, String> FOLDED = folded();

    private ConfigDeniedKeys() {
    }

    private static Map<String, String> folded() {
        Map<String, String> folded = new HashMap<>();
        NETWORK_KEYS.forEach(key -> folded.put(fold(key), key));
        DRIVER_KEYS.forEach(key -> folded.put(fold(key), key));
        return Map.copyOf(folded);
    }

    /** ASCII case, underscores and hyphens dropped: {@code Driver-Config_JSON} is {@code driverconfigjson}. */
    static String fold(String key) {
        StringBuilder folded = new StringBuilder();
        for (char c : key.toCharArray()) {
            if (c >= 'A' && c <= 'Z') {
                folded.append((char) (c + ('a' - 'A')));
            } else if (c != '_' && c != '-') {
                folded.append(c);
            }
        }
        return folded.toString();
    }

    static boolean isDenied(String key) {
        return FOLDED.containsKey(fold(key));
    }

    static String reason(String key) {
        return Text.printable(key) + " is refused: " + (isOfNetwork(key) ? NETWORK : DRIVER);
    }

    static String hint(String key) {
        return isOfNetwork(key) ? NETWORK_INSTEAD : DRIVER_INSTEAD;
    }

    private static boolean isOfNetwork(String key) {
        return NETWORK_KEYS.contains(FOLDED.get(fold(key)));
    }
}
