// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.ca;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RequestWriter;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.pki.TrustPool;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Orders certificates on behalf of workloads: a new P-256 key and an empty subject each time, the identity as the
/// one name. Takes nothing for granted in the answer: it must be for this key and this identity.
public final class CaClient implements CertificateSource {
    private final Function<CertificateOrder, List<String>> authority;
    private final Duration lifetime;
    private final Speaks speaks;

    /// As whom orders are made.
    public enum Speaks {
        /// A node proxy, which names the workload it orders for.
        FOR_WORKLOADS,
        /// The workload itself.
        FOR_ITSELF
    }

    /// A client of an authority.
    ///
    /// @param authority answers with leaf, intermediates, and all roots as the last element, or throws a
    ///     [ProblemException]; see [CertificateConnection]
    public CaClient(Function<CertificateOrder, List<String>> authority, Duration lifetime, Speaks speaks) {
        this.authority = authority;
        this.lifetime = lifetime;
        this.speaks = speaks;
    }

    @Override
    public TlsIdentity fetch(Identity identity) {
        var keys = KeyAlgorithm.P256.generate();
        var request = RequestWriter.write(keys, List.of(identity.uri()));
        var order = new CertificateOrder(
                request, lifetime, speaks == Speaks.FOR_WORKLOADS ? Optional.of(identity.uri()) : Optional.empty());
        return accept(identity, keys, authority.apply(order));
    }

    private static TlsIdentity accept(Identity identity, KeyPair keys, List<String> answer) {
        if (answer.size() < 2) {
            throw refused(
                    "certificate-chain-empty",
                    "the authority answered with " + answer.size() + " elements for " + identity.uri()
                            + ", a leaf and a root are needed");
        }
        var chain = new ArrayList<X509Certificate>();
        answer.subList(0, answer.size() - 1).forEach(pem -> chain.addAll(Pem.certificates(pem)));
        var trust = TrustPool.parse(answer.getLast());
        var names = AlternativeNames.identities(chain.getFirst());
        if (!names.equals(List.of(identity))) {
            throw refused(
                    "certificate-for-another",
                    "the authority gave a certificate for " + AlternativeNames.of(chain.getFirst()) + " instead of "
                            + identity.uri());
        }
        if (!chain.getFirst().getPublicKey().equals(keys.getPublic())) {
            throw refused(
                    "certificate-for-another-key", "the certificate for " + identity.uri() + " is not for our key");
        }
        return new TlsIdentity(keys.getPrivate(), chain, trust);
    }

    private static ProblemException refused(String code, String message) {
        return new ProblemException(
                new Problem(code, message, "check the certificate authority", Origin.SERVER, Retry.SENSIBLE));
    }
}
