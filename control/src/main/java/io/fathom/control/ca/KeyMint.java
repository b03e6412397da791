// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.base.lang.Timeline;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.ca.RenewedCertificate;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.SubjectKey;
import io.fathom.wire.pki.TlsIdentity;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/// Makes keys and certificates for proxies that cannot make their own, such as an Envoy without a companion. Whoever
/// asks has to know whose identity it is. Any number of threads.
public final class KeyMint {
    private final Authority authority;
    private final Duration lifetime;
    private final CaObserver observer;
    private final Timeline timeline;
    private final RandomGenerator random;

    /// What an authority signs with and trusts.
    private record Basis(X509Certificate signer, List<X509Certificate> roots) {}

    public KeyMint(
            Authority authority, Duration lifetime, CaObserver observer, Timeline timeline, RandomGenerator random) {
        this.authority = authority;
        this.lifetime = lifetime;
        this.observer = observer;
        this.timeline = timeline;
        this.random = random;
    }

    /// Tells of a new key and certificate, at half of its life of the next, and of another at once when the authority
    /// signs with or trusts something else; until closed. The listener is called on threads of the timeline.
    public AutoCloseable follow(Identity identity, Consumer<TlsIdentity> listener) {
        var basis = new AtomicReference<>(List.<Basis>of());
        var certificate = new RenewedCertificate(
                whom -> {
                    basis.set(List.of(basis()));
                    return issue(whom);
                },
                identity,
                listener,
                timeline,
                random);
        var subscription = authority.subscribe(() -> {
            if (!basis.get().isEmpty() && !basis.get().equals(List.of(basis()))) {
                certificate.renew();
            }
        });
        certificate.start();
        return () -> {
            certificate.close();
            subscription.close();
        };
    }

    private Basis basis() {
        return new Basis(authority.material().signer(), authority.roots());
    }

    private TlsIdentity issue(Identity identity) {
        var material = authority.material();
        var keys = KeyAlgorithm.P256.generate();
        var leaf = new Leaf(SubjectKey.of(keys.getPublic()), List.of(identity.uri()), Leaf.Subject.EMPTY, lifetime);
        var chain = new ArrayList<X509Certificate>();
        chain.add(new Issuer(material).sign(leaf, timeline.instant()).certificate());
        chain.addAll(material.intermediates());
        observer.issued();
        return new TlsIdentity(keys.getPrivate(), chain, authority.roots());
    }
}
