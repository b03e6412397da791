// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.tls;

import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.ChainVerifier;
import io.fathom.wire.pki.TrustPool;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/// Verifies clients of a server: those with a SPIFFE identity by the roots of its trust domain, others by any. Who they
/// are and what they may is for others to say. Any thread.
final class PoolTrust extends X509ExtendedTrustManager {
    private final Supplier<TrustPool> trust;
    private final InstantSource clock;

    PoolTrust(Supplier<TrustPool> trust, InstantSource clock) {
        this.trust = trust;
        this.clock = clock;
    }

    private void check(X509Certificate[] shown) throws CertificateException {
        var pool = trust.get();
        var chain = List.of(shown);
        var nameless = AlternativeNames.trustDomains(chain.getFirst()).isEmpty();
        var problem = nameless
                ? ChainVerifier.problem(chain, pool.roots(), clock.instant())
                : pool.objection(chain, clock.instant());
        if (problem.isPresent()) {
            throw new PeerRejected(problem.get().message(), PeerRejected.Reason.CHAIN);
        }
        if (!PeerCheck.isForClients(chain.getFirst())) {
            throw new PeerRejected("the certificate is not meant for clients", PeerRejected.Reason.CHAIN);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine) throws CertificateException {
        throw noServer();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket) throws CertificateException {
        throw noServer();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind) throws CertificateException {
        throw noServer();
    }

    private static CertificateException noServer() {
        return new PeerRejected("this is a server itself", PeerRejected.Reason.CHAIN);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return trust.get().roots().toArray(X509Certificate[]::new);
    }
}
