// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.TlsParameters;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.TlsParameters.TlsProtocol;
import io.fathom.wire.tls.TlsPolicy.KeyExchange;
import java.util.List;

/// Keeps what Envoys may negotiate to a compliance policy; applied last, whatever users ask for. Pure.
public final class Compliance {
    /// Envoy takes the names of TLS 1.2 only. Those of 1.3 with the same strength follow from them in builds with
    /// OpenSSL; BoringSSL has a fixed list.
    private static final List<String> SUITES = List.of(
            "ECDHE-ECDSA-AES128-GCM-SHA256",
            "ECDHE-RSA-AES128-GCM-SHA256",
            "ECDHE-ECDSA-AES256-GCM-SHA384",
            "ECDHE-RSA-AES256-GCM-SHA384");

    private Compliance() {}

    public static TlsParameters enforce(KeyExchange policy, TlsParameters.Builder wanted) {
        switch (policy) {
            case ANY -> {}
            case FIPS_140_2 -> {
                var suites = wanted.getCipherSuitesList().stream()
                        .filter(SUITES::contains)
                        .toList();
                wanted.clearCipherSuites()
                        .addAllCipherSuites(suites.isEmpty() ? SUITES : suites)
                        .clearEcdhCurves()
                        .addEcdhCurves("P-256")
                        .addEcdhCurves("P-384");
            }
            case POST_QUANTUM ->
                wanted.setTlsMinimumProtocolVersion(TlsProtocol.TLSv1_3)
                        .setTlsMaximumProtocolVersion(TlsProtocol.TLSv1_3)
                        .clearCipherSuites()
                        .addAllCipherSuites(SUITES)
                        .clearEcdhCurves()
                        .addEcdhCurves("X25519MLKEM768");
        }
        return wanted.build();
    }
}
