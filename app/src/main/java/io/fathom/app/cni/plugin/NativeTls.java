// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni.plugin;

import java.security.Security;
import org.conscrypt.Conscrypt;

/// TLS and signatures in native code for a process that makes one connection: the JDK's own, which is fast once it is
/// compiled, takes a third of a second for the first handshake. Loaded on a thread beside the call that is to use it.
final class NativeTls {
    private final Thread thread =
            Thread.ofPlatform().daemon().name("native-tls").unstarted(NativeTls::prefer);

    private NativeTls() {}

    static NativeTls loading() {
        var tls = new NativeTls();
        tls.thread.start();
        return tls;
    }

    /// From here on it is used by all of this process.
    void await() {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Where the library does not load, the JDK's own goes on doing it.
    private static void prefer() {
        if (Conscrypt.isAvailable()) {
            Security.insertProviderAt(Conscrypt.newProvider(), 1);
        }
    }
}
