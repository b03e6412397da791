// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni.plugin;

import io.fathom.node.cni.plugin.CniPlugin;
import java.io.InputStream;
import java.time.InstantSource;
import java.util.Map;

/// One call of a container runtime.
///
/// Exit codes: 0 fine, 1 the call failed and standard output says why.
public final class IstioCniMain {
    private IstioCniMain() {}

    public static void main(String[] args) {
        // System.exit would first make a logger, which costs as much as the call.
        Runtime.getRuntime().halt(call(System.getenv(), System.in));
    }

    static int call(Map<String, String> environment, InputStream input) {
        var plugin = new CniPlugin(
                environment, System.out, System.err, InstantSource.system(), Thread::sleep, NativeTls::prefer);
        return plugin.run(input);
    }
}
