package io.fathom.control.ca;

import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
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
/// with
/// a new key. If renewing fails, the certificate in use stays.
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

    /// The first certificate is there when this returns.
    ///
    /// @param names DNS names and addresses clients use
    /// @throws io.fathom.base.lang.ProblemException if the authority cannot sign
    public ServingCertificates(Authority authority, List<String> names, Duration lifetime, InstantSource clock) {
        this.authority = authority;
        this.names = List.copyOf(names);
        this.lifetime = lifetime;
        this.clock = clock;
        this.current = issue();
        this.subscription = authority.subscribe(this::authorityChanged);
    }

    /// The names a control plane answers to in a cluster.
    public static List<String> clusterNames(String namespace, String revision, List<String> others) {
        var names = new ArrayList<String>();
        var services = new ArrayList<>(List.of("istiod", "istiod-remote", "istio-pilot"));
        if (!revision.isEmpty() && !revision.equals("default")) {
            services.add("istiod-" + revision);
        }
        services.forEach(service -> names.add(service + "." + namespace + ".svc"));
        others.stream().filter(name -> !names.contains(name)).forEach(names::add);
        return names;
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
            current = issue();
            log.atInfo().addKeyValue("notAfter", current.notAfter()).log("the serving certificate was renewed");
            users.forEach(user -> user.accept(current));
        }
    }

    private TlsIdentity issue() {
        var material = authority.material();
        var keys = KeyAlgorithm.P256.generate();
        var leaf = new Leaf(SubjectKey.of(keys.getPublic()), names, Leaf.Subject.EMPTY, lifetime);
        var now = clock.instant();
        var issued = new Issuer(material).sign(leaf, now);
        var chain = new ArrayList<X509Certificate>();
        chain.add(issued.certificate());
        chain.addAll(material.intermediates());
        signer = material.signer();
        renewAt = now.plus(Duration.between(now, issued.notAfter()).dividedBy(2));
        return new TlsIdentity(keys.getPrivate(), chain, authority.roots());
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
