// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import java.nio.file.Path;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** One policy that was written, for the Flight Recorder. */
@Name("io.github.openshellruntime.PolicyWrite")
@Label("OpenShell Policy Write")
@Category("OpenShell")
@Description("One policy that was written and forced to the disk")
@StackTrace(false)
final class EventPolicyWrite extends Event {

    @Label("Path")
    String path;

    @Label("Size")
    @DataAmount
    long size;

    @Label("SHA-256")
    String sha256;

    void written(Path target, int bytes, PolicyDocument document) {
        if (shouldCommit()) {
            path = target.toString();
            size = bytes;
            sha256 = document.sha256();
            commit();
        }
    }
}
