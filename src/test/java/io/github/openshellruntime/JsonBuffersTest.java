// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a thread keeps after it has read and written JSON. */
@DisplayName("Buffers of JSON")
class JsonBuffersTest {

    private static final byte[] CONFIG = ("{\"workloadArgv\":[\"/usr/bin/agent\",\"\\u0041\"],\"egressAllow\":[\"api.example.com\"],"
            + "\"createTimeoutSeconds\":300}").getBytes(StandardCharsets.UTF_8);

    @Test
    @DisplayName("a thread that has parsed a config and rendered a policy does not hold the class loader of the library")
    void classLoader_isDropped() throws Exception {
        WeakReference<ClassLoader> loader = used();

        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (loader.get() != null && System.nanoTime() < end) {
            System.gc();
        }
        assertThat(loader.get()).isNull();
    }

    /** Reads and writes with a library and a Jackson of their own, as a redeployed application has them. */
    private static WeakReference<ClassLoader> used() throws Exception {
        List<URL> classPath = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            classPath.add(new File(entry).toURI().toURL());
        }
        URLClassLoader own = new URLClassLoader(classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        Class<?> loader = own.loadClass(RuntimeConfigLoader.class.getName());
        Object config = loader.getMethod("parse", byte[].class, String.class)
                .invoke(loader.getMethod("standard").invoke(null), CONFIG, "test");
        Object egress = config.getClass().getMethod("egressAllow").invoke(config);
        Object policy = own.loadClass(PolicyDocuments.class.getName()).getMethod("render", egress.getClass(), String.class)
                .invoke(null, egress, "/usr/bin/agent");
        assertThat(policy.getClass().getMethod("json").invoke(policy).toString()).contains("api.example.com");
        assertThat(policy.getClass().getClassLoader()).isSameAs(own);
        own.close();
        return new WeakReference<>(own);
    }
}
