// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.ca;

import java.time.Duration;
import java.util.Optional;

/// What a client orders from the certificate service. Nothing in it is trusted.
///
/// @param csr PKCS#10 in PEM
/// @param lifetime zero or less leaves it to the authority
/// @param impersonatedIdentity the SPIFFE id that a node proxy asks for on behalf of a workload
public record CertificateOrder(String csr, Duration lifetime, Optional<String> impersonatedIdentity) {
    @Override
    public String toString() {
        return "CertificateOrder[csr=" + csr.length() + " characters, lifetime=" + lifetime + ", impersonatedIdentity="
                + impersonatedIdentity.orElse("none") + "]";
    }
}
