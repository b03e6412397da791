// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import java.security.cert.X509Certificate;
import java.time.Instant;

/// A certificate just signed.
///
/// @param pem with a trailing newline
/// @param serial in hexadecimal digits
public record IssuedCertificate(String pem, String serial, Instant notBefore, Instant notAfter) {
    public X509Certificate certificate() {
        return Pem.certificates(pem).getFirst();
    }
}
