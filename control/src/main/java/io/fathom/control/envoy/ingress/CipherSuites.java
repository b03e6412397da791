// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import java.util.List;
import java.util.Set;

/// Which cipher suites of TLS 1.2 Envoy knows. A single name that it does not know makes it refuse the whole listener,
/// so such names are left out. Pure.
final class CipherSuites {
    /// What `bssl ciphers -openssl-name ALL` lists, without those for shared keys.
    private static final Set<String> KNOWN = Set.of(
            "ECDHE-ECDSA-AES128-GCM-SHA256",
            "ECDHE-RSA-AES128-GCM-SHA256",
            "ECDHE-ECDSA-AES256-GCM-SHA384",
            "ECDHE-RSA-AES256-GCM-SHA384",
            "ECDHE-ECDSA-CHACHA20-POLY1305",
            "ECDHE-RSA-CHACHA20-POLY1305",
            "ECDHE-ECDSA-AES128-SHA",
            "ECDHE-RSA-AES128-SHA",
            "ECDHE-ECDSA-AES256-SHA",
            "ECDHE-RSA-AES256-SHA",
            "AES128-GCM-SHA256",
            "AES256-GCM-SHA384",
            "AES128-SHA",
            "AES256-SHA",
            "DES-CBC3-SHA",
            "ALL");

    private CipherSuites() {}

    /// Those that Envoy is told, each once.
    static List<String> known(List<String> written) {
        return written.stream().filter(CipherSuites::isKnown).distinct().toList();
    }

    /// Expressions such as `-ALL` or `[A|B]` begin with a sign; Envoy judges them.
    static boolean isKnown(String written) {
        return !written.isEmpty() && (!Character.isLetterOrDigit(written.charAt(0)) || KNOWN.contains(written));
    }
}
