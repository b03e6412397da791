// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SubjectKey;
import io.fathom.wire.pki.TlsIdentity;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The certificates our own servers show, signed by the authority of the mesh. They are renewed at half of their
/// lifetime, and at once when the authority signs with something else or trusts something else; every renewal comes
/// with a new key. If renewing fails, the certificate in use stays.
public final class ServingCertificates implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ServingCertificates.class);
    private static final Duration SOONEST = Duration.ofMillis(100);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    private final Authority authority;
    private final List<String> names;
    private final Duration lifetime;
    private final InstantSource clock;
    private final List<Consumer<TlsIdentity>> users = new ArrayList<>();
    private final AutoCloseable subscription;
    private volatile TlsIdentity current;
    private volatile Instant renewAt = Instant.MAX;
    private @Nullable X509Certificate signer;
    private @Nullable Repeating renewals;

    /// The first certificate is there when this returns. If the authority cannot sign yet, it is one that nobody
    /// trusts: clients come again, and find the right one as soon as there is one.
    ///
    /// @param names DNS names and addresses clients use
    public ServingCertificates(Authority authority, List<String> names, Duration lifetime, InstantSource clock) {
        this.authority = authority;
        this.names = List.copyOf(names);
        this.lifetime = lifetime;
        this.clock = clock;
        this.current = first();
        this.subscription = authority.subscribe(this::authorityChanged);
    }

    /// Begins to renew in the background.
    public synchronized ServingCertificates start() {
        if (renewals == null) {
            renewals = new Repeating("serving-certificates", untilRenewal(), () -> {
                try {
                    renewIfDue();
                    return untilRenewal();
                } catch (RuntimeException e) {
                    log.atError().log("the serving certificate could not be renewed: " + e.getMessage());
                    return AFTER_FAILURE;
                }
            });
        }
        return this;
    }

    private Duration untilRenewal() {
        var rest = Duration.between(clock.instant(), renewAt);
        return rest.compareTo(SOONEST) < 0 ? SOONEST : rest;
    }

    private void authorityChanged() {
        var planned = renewals;
        if (planned != null) {
            planned.hurry();
        } else {
            renewIfDue();
        }
    }

    /// Renews if half of the lifetime is over or the authority has changed.
    synchronized void renewIfDue() {
        var changed = !authority.material().signer().equals(signer)
                || !authority.roots().equals(current.roots());
        if (changed || !clock.instant().isBefore(renewAt)) {
            current = issue(authority.material(), authority.roots());
            log.atInfo().addKeyValue("notAfter", current.notAfter()).log("the serving certificate was renewed");
            users.forEach(user -> user.accept(current));
        }
    }

    private TlsIdentity first() {
        try {
            return issue(authority.material(), authority.roots());
        } catch (ProblemException e) {
            log.atWarn().log("there is no certificate to serve with yet: " + e.problem());
            var keys = KeyAlgorithm.P256.generate();
            var stranger = RootCertificate.create(keys, "nobody", clock.instant(), lifetime);
            var placeholder = issue(
                    new SigningMaterial(keys.getPrivate(), List.of(stranger), List.of(stranger)), List.of(stranger));
            signer = null;
            renewAt = clock.instant();
            return placeholder;
        }
    }

    private TlsIdentity issue(SigningMaterial material, List<X509Certificate> roots) {
        var keys = KeyAlgorithm.P256.generate();
        var leaf = new Leaf(SubjectKey.of(keys.getPublic()), names, Leaf.Subject.EMPTY, lifetime);
        var now = clock.instant();
        var issued = new Issuer(material).sign(leaf, now);
        var chain = new ArrayList<X509Certificate>();
        chain.add(issued.certificate());
        chain.addAll(material.intermediates());
        signer = material.signer();
        renewAt = now.plus(Duration.between(now, issued.notAfter()).dividedBy(2));
        return new TlsIdentity(keys.getPrivate(), chain, roots);
    }

    public TlsIdentity current() {
        return current;
    }

    /// Tells `user` the certificate of now, and each one after it.
    public synchronized void use(Consumer<TlsIdentity> user) {
        users.add(user);
        user.accept(current);
    }

    @Override
    public synchronized void close() {
        if (renewals != null) {
            renewals.close();
        }
        try {
            subscription.close();
        } catch (Exception e) {
            throw new IllegalStateException("leaving the authority failed", e);
        }
    }
}
