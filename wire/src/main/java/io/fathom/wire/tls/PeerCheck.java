// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.tls;

import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.TrustPool;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/// Verifies chains of peers: against the roots of their trust domain, for their purpose, against revocation, and by the
/// identity of the
/// leaf. DNS names mean nothing here. Any thread.
///
/// Signatures are verified once for each chain, which then is known until one of its certificates ends; everything that
/// may change is asked each time.
final class PeerCheck extends X509ExtendedTrustManager {
    private static final String ANY_PURPOSE = "2.5.29.37.0";
    private static final String SERVER_PURPOSE = "1.3.6.1.5.5.7.3.1";
    private static final String CLIENT_PURPOSE = "1.3.6.1.5.5.7.3.2";

    private static final int MOST_KNOWN = 256;

    private final Supplier<TrustPool> trust;
    private final PeerRules rules;
    private final BiPredicate<TrustPool, Identity> isOneOfUs;
    private final LongAdder shown;
    private @Nullable TrustPool knownBy;
    private final Map<List<X509Certificate>, Period> known = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<List<X509Certificate>, Period> eldest) {
            return size() > MOST_KNOWN;
        }
    };

    /// When all certificates of a chain are valid.
    private record Period(Instant begin, Instant end) {
        static Period of(List<X509Certificate> chain) {
            var begin = Instant.MIN;
            var end = Instant.MAX;
            for (var certificate : chain) {
                var from = certificate.getNotBefore().toInstant();
                var to = certificate.getNotAfter().toInstant();
                begin = from.isAfter(begin) ? from : begin;
                end = to.isBefore(end) ? to : end;
            }
            return new Period(begin, end);
        }

        boolean includes(Instant time) {
            return !time.isBefore(begin) && !time.isAfter(end);
        }
    }

    /// A check that also wants the first identity of a client to be one of us.
    ///
    /// @param trust asked each time
    PeerCheck(Supplier<TrustPool> trust, PeerRules rules, BiPredicate<TrustPool, Identity> isOneOfUs, LongAdder shown) {
        this.trust = trust;
        this.rules = rules;
        this.isOneOfUs = isOneOfUs;
        this.shown = shown;
    }

    /// For a client whose chain may come from a session, with which no handshake checks it.
    void client(List<X509Certificate> chain) throws PeerRejected {
        check(chain, CLIENT_PURPOSE);
    }

    /// Likewise for a server.
    void server(List<X509Certificate> chain) throws PeerRejected {
        check(chain, SERVER_PURPOSE);
    }

    private void check(X509Certificate[] chain, String purpose) throws CertificateException {
        shown.increment();
        check(List.of(chain), purpose);
    }

    private void check(List<X509Certificate> chain, String purpose) throws PeerRejected {
        var pool = trust.get();
        verify(chain, pool, rules.clock().instant());
        var leaf = chain.getFirst();
        if (!isFor(leaf, purpose)) {
            throw new PeerRejected("the certificate is not meant for this side of TLS", PeerRejected.Reason.CHAIN);
        }
        var identities = AlternativeNames.identities(leaf);
        if (identities.isEmpty()) {
            throw new PeerRejected("the certificate has no SPIFFE identity", PeerRejected.Reason.IDENTITY);
        }
        // the first one is what policies see
        if (!isOneOfUs.test(pool, identities.getFirst())) {
            throw new PeerRejected(
                    identities.getFirst().uri() + " is of another trust domain", PeerRejected.Reason.IDENTITY);
        }
        if (rules.revoked().test(chain)) {
            throw new PeerRejected("a certificate of the chain is revoked", PeerRejected.Reason.REVOKED);
        }
    }

    @SuppressWarnings("ReferenceEquality") // an equal pool only costs the signatures once more
    private void verify(List<X509Certificate> chain, TrustPool pool, Instant now) throws PeerRejected {
        synchronized (known) {
            if (knownBy != pool) {
                known.clear();
                knownBy = pool;
            }
            var period = known.get(chain);
            if (period != null && period.includes(now)) {
                return;
            }
        }
        var problem = pool.objection(chain, now);
        if (problem.isPresent()) {
            throw new PeerRejected(problem.get().message(), PeerRejected.Reason.CHAIN);
        }
        // Roots count as well: which of them a chain leads to is not known, so the first to end ends it.
        var all = new ArrayList<>(chain);
        pool.roots().stream()
                .filter(root -> Period.of(List.of(root)).includes(now))
                .forEach(all::add);
        synchronized (known) {
            if (knownBy == pool) {
                known.put(List.copyOf(chain), Period.of(all));
            }
        }
    }

    static boolean isForClients(X509Certificate leaf) {
        return isFor(leaf, CLIENT_PURPOSE);
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
