// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.auth.Admission;
import io.fathom.wire.auth.Credentials;
import io.fathom.wire.ca.CertificateHandler;
import io.fathom.wire.ca.CertificateOrder;
import io.fathom.wire.ca.CertificateReply;
import io.fathom.wire.ca.CertificateReply.DenialReason;
import io.fathom.wire.ca.CertificateReply.Denied;
import io.fathom.wire.pki.CertificateChain;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.SigningRequest;
import io.fathom.wire.pki.TrustPool;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Answers certificate requests: who is it, may it have that, is the request sound, sign. Each is decided elsewhere;
/// here they are put in order, counted and logged. The names in a certificate come from the caller's credentials or
/// from the grant for its node, never from the request. Any number of threads.
public final class CertificateEndpoint implements CertificateHandler {
    private static final String OPAQUE = "the request was not authenticated";

    private final Authority authority;
    private final CallerAuthenticator authenticator;
    private final Supplier<NodeAuthorizer.Snapshot> nodes;
    private final CertificateLimits limits;
    private final Supplier<Optional<TrustPool>> trust;
    private final CaObserver observer;
    private final InstantSource clock;
    private final AuditLog audit;
    private volatile @Nullable Issuer issuer;

    public CertificateEndpoint(
            Authority authority,
            CallerAuthenticator authenticator,
            Supplier<NodeAuthorizer.Snapshot> nodes,
            CertificateLimits limits,
            CaObserver observer,
            InstantSource clock) {
        this(authority, authenticator, nodes, limits, Optional::empty, observer, clock);
    }

    /// One that tells node proxies whose roots vouch for which trust domain.
    ///
    /// @param trust empty while that is not known
    public CertificateEndpoint(
            Authority authority,
            CallerAuthenticator authenticator,
            Supplier<NodeAuthorizer.Snapshot> nodes,
            CertificateLimits limits,
            Supplier<Optional<TrustPool>> trust,
            CaObserver observer,
            InstantSource clock) {
        this.authority = authority;
        this.authenticator = authenticator;
        this.nodes = nodes;
        this.limits = limits;
        this.trust = trust;
        this.observer = observer;
        this.clock = clock;
        this.audit = new AuditLog("certificate", clock);
    }

    @Override
    public Admission<Session> admit(Credentials credentials) {
        observer.received();
        if (credentials.channel() == Credentials.Channel.PLAINTEXT) {
            return stranger("plaintext", "certificates are not issued in clear", credentials);
        }
        return switch (authenticator.authenticate(credentials)) {
            case CallerAuthenticator.Attempt.NotPresented _ ->
                stranger("no-credentials", "neither a certificate nor a token", credentials);
            case CallerAuthenticator.Attempt.Rejected rejected ->
                stranger(rejected.problem().code(), rejected.problem().message(), credentials);
            case CallerAuthenticator.Attempt.Authenticated known ->
                new Admission.Admitted<>(order -> answer(known.caller(), credentials, order));
        };
    }

    private Admission<Session> stranger(String code, String why, Credentials credentials) {
        observer.refused(code);
        audit.refused("anonymous", "a certificate", code, why, credentials);
        return new Admission.Refused<>(OPAQUE);
    }

    private CertificateReply answer(Caller caller, Credentials credentials, CertificateOrder order) {
        if (order.impersonatedIdentity().isEmpty()) {
            return sign(caller, caller.identities(), TrustPool.ofAnyDomain(authority.roots()), credentials, order);
        }
        return switch (NodeAuthorizer.decide(
                nodes.get(), caller, order.impersonatedIdentity().get())) {
            case NodeDecision.Granted granted ->
                sign(caller, List.of(granted.identity()), nodeTrust(), credentials, order);
            case NodeDecision.Refused refused -> {
                var code = refused.reason().code();
                observer.refused(code);
                audit.refused(caller.describe(), wanted(order), code, refused.detail(), credentials);
                yield new Denied(DenialReason.UNAUTHENTICATED, OPAQUE);
            }
        };
    }

    private CertificateReply sign(
            Caller caller,
            List<Identity> identities,
            TrustPool trusted,
            Credentials credentials,
            CertificateOrder order) {
        try {
            var request = SigningRequest.parse(order.csr());
            checkNames(request, identities);
            var names = identities.stream().map(Identity::uri).toList();
            var subject = request.asksCommonName() ? Leaf.Subject.COMMON_NAME : Leaf.Subject.EMPTY;
            var signer = issuer();
            var certificate = signer.sign(new Leaf(request.key(), names, subject, lifetime(order)), clock.instant());
            var chain = CertificateChain.of(certificate, signer.material(), trusted);
            observer.issued();
            audit.issued(caller, names, certificate, credentials);
            return new CertificateReply.Issued(chain);
        } catch (ProblemException e) {
            return failed(caller, e.problem(), credentials, order);
        }
    }

    /// Node proxies meet peers of all domains; stock ones take all roots from here. Proxies for themselves alone are
    /// told by their configuration.
    private TrustPool nodeTrust() {
        return trust.get().orElseGet(() -> TrustPool.ofAnyDomain(authority.roots()));
    }

    /// A client that asks for names it does not get could not use the certificate: better to say so. The trust domain
    /// may differ, as clients do not always know ours.
    private static void checkNames(SigningRequest request, List<Identity> granted) {
        for (var name : request.names()) {
            var asked = Identity.parse(name);
            var fits = asked.isPresent()
                    && granted.stream()
                            .anyMatch(identity ->
                                    identity.namespace().equals(asked.get().namespace())
                                            && identity.serviceAccount()
                                                    .equals(asked.get().serviceAccount()));
            if (!fits) {
                throw new ProblemException(Problem.ofInput(
                        "csr-foreign-name",
                        "the request names a subject that is not the caller's",
                        "leave the names out or ask for those of the service account"));
            }
        }
    }

    private Duration lifetime(CertificateOrder order) {
        if (!order.lifetime().isPositive()) {
            return limits.usual();
        }
        if (order.lifetime().compareTo(limits.longest()) > 0) {
            throw new ProblemException(Problem.ofInput(
                    "lifetime-too-long",
                    "a lifetime of " + order.lifetime() + " is above the longest, " + limits.longest(),
                    "ask for less, or raise MAX_WORKLOAD_CERT_TTL"));
        }
        return order.lifetime();
    }

    /// Made anew only when the authority has other material. Two threads may both do so; either result is right.
    private Issuer issuer() {
        var material = authority.material();
        var current = issuer;
        if (current == null || !current.material().equals(material)) {
            current = new Issuer(material);
            issuer = current;
        }
        return current;
    }

    private CertificateReply failed(Caller caller, Problem problem, Credentials credentials, CertificateOrder order) {
        audit.refused(caller.describe(), wanted(order), problem.code(), problem.message(), credentials);
        if (problem.origin() == Origin.CLIENT) {
            observer.invalid(problem.code());
            return new Denied(DenialReason.INVALID, problem.message());
        }
        observer.failed(problem.code());
        return new Denied(DenialReason.FAILED, "the certificate authority cannot sign now");
    }

    private static String wanted(CertificateOrder order) {
        return order.impersonatedIdentity().orElse("its own identity");
    }
}
