// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni.plugin;

import java.security.Security;
import org.conscrypt.Conscrypt;

/// TLS and signatures in native code for a process that makes one connection: the JDK's own, which is fast once it is
/// compiled, takes a third of a second for the first handshake.
final class NativeTls {
    private NativeTls() {}

    /// From here on it is used by all of this process. Where the library does not load, the JDK's own goes on doing it.
    static void prefer() {
        if (Conscrypt.isAvailable()) {
            Security.insertProviderAt(Conscrypt.newProvider(), 1);
        }
    }
}
