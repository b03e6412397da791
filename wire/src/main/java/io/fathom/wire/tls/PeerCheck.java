package io.fathom.wire.tls;

import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.ChainVerifier;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Predicate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/// Verifies chains of peers: against the roots, for their purpose, against revocation, and by the identity of the
/// leaf. DNS names mean nothing here. Any thread.
final class PeerCheck extends X509ExtendedTrustManager {
    private static final String ANY_PURPOSE = "2.5.29.37.0";
    private static final String SERVER_PURPOSE = "1.3.6.1.5.5.7.3.1";
    private static final String CLIENT_PURPOSE = "1.3.6.1.5.5.7.3.2";

    private final List<X509Certificate> roots;
    private final PeerRules rules;
    private final Predicate<Identity> isOneOfUs;

    /// A check that also wants the first identity of a client to be one of us.
    PeerCheck(List<X509Certificate> roots, PeerRules rules, Predicate<Identity> isOneOfUs) {
        this.roots = roots;
        this.rules = rules;
        this.isOneOfUs = isOneOfUs;
    }

    private void check(X509Certificate[] shown, String purpose) throws CertificateException {
        var chain = List.of(shown);
        var problem = ChainVerifier.problem(chain, roots, rules.clock().instant());
        if (problem.isPresent()) {
            throw new PeerRejected(problem.get().message(), PeerRejected.Reason.CHAIN);
        }
        var leaf = chain.getFirst();
        if (!isFor(leaf, purpose)) {
            throw new PeerRejected("the certificate is not meant for this side of TLS", PeerRejected.Reason.CHAIN);
        }
        var identities = AlternativeNames.identities(leaf);
        if (identities.isEmpty()) {
            throw new PeerRejected("the certificate has no SPIFFE identity", PeerRejected.Reason.IDENTITY);
        }
        // the first one is what policies see
        if (!isOneOfUs.test(identities.getFirst())) {
            throw new PeerRejected(
                    identities.getFirst().uri() + " is of another trust domain", PeerRejected.Reason.IDENTITY);
        }
        if (rules.revoked().test(chain)) {
            throw new PeerRejected("a certificate of the chain is revoked", PeerRejected.Reason.REVOKED);
        }
    }

    private static boolean isFor(X509Certificate leaf, String purpose) {
        try {
            var purposes = leaf.getExtendedKeyUsage();
            return purposes == null || purposes.contains(purpose) || purposes.contains(ANY_PURPOSE);
        } catch (CertificateParsingException e) {
            return false;
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine) throws CertificateException {
        check(chain, CLIENT_PURPOSE);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine) throws CertificateException {
        check(chain, SERVER_PURPOSE);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket) throws CertificateException {
        check(chain, CLIENT_PURPOSE);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket) throws CertificateException {
        check(chain, SERVER_PURPOSE);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind) throws CertificateException {
        check(chain, CLIENT_PURPOSE);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind) throws CertificateException {
        check(chain, SERVER_PURPOSE);
    }

    /// No hints: workloads have one certificate to show.
    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
