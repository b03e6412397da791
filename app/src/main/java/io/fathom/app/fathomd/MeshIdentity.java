// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.fathomd.http.IdentityPages;
import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.work.Parts;
import io.fathom.control.ca.AgentAdmission;
import io.fathom.control.ca.AuthenticatedStreams;
import io.fathom.control.ca.AuthenticatedStreams.IdentityCheck;
import io.fathom.control.ca.AuthenticatorChain;
import io.fathom.control.ca.Authority;
import io.fathom.control.ca.CaObserver;
import io.fathom.control.ca.CallerAuthenticator;
import io.fathom.control.ca.CertificateAuthenticator;
import io.fathom.control.ca.CertificateEndpoint;
import io.fathom.control.ca.FileRootStore;
import io.fathom.control.ca.ForwardedCertificateAuthenticator;
import io.fathom.control.ca.JwtAuthenticator;
import io.fathom.control.ca.KeyMint;
import io.fathom.control.ca.LocalTokenReviewer;
import io.fathom.control.ca.MemoryRootStore;
import io.fathom.control.ca.NodeAuthorizer;
import io.fathom.control.ca.PeerGuests;
import io.fathom.control.ca.PluggedAuthority;
import io.fathom.control.ca.RootBundle;
import io.fathom.control.ca.RootPolicy;
import io.fathom.control.ca.RootStore;
import io.fathom.control.ca.SelfSignedAuthority;
import io.fathom.control.ca.ServingCertificates;
import io.fathom.control.ca.TokenReviewAuthenticator;
import io.fathom.control.ca.TokenReviewClient;
import io.fathom.control.ca.TokenReviewer;
import io.fathom.control.ca.TrustDomains;
import io.fathom.control.ca.jwt.IssuerKeys;
import io.fathom.control.ca.jwt.JsonWebKey;
import io.fathom.control.ca.jwt.JwtRule;
import io.fathom.control.ca.jwt.JwtVerifier;
import io.fathom.control.ca.jwt.LocalIssuer;
import io.fathom.control.ca.jwt.RemoteKeys;
import io.fathom.control.ca.kube.SecretRootStore;
import io.fathom.control.ca.vault.VaultAuthority;
import io.fathom.wire.ca.CertificateService;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.pki.TrustPool;
import io.fathom.wire.tls.ReloadingServerTls;
import io.fathom.wire.xds.AdsConfig;
import io.fathom.wire.xds.AdsGates;
import io.fathom.wire.xds.stream.StreamGate;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Who is who in the mesh: the authority, what it signs for others and for our own TLS port, and who gets in there.
final class MeshIdentity implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MeshIdentity.class);
    private static final Duration SERVING_LIFETIME = Duration.ofHours(24);
    private static final int REQUESTS_AT_ONCE = 512;
    private static final int MOST_TRIES = 120; // ten minutes
    private static final String AGENT = "fathom-agent";
    private static final String LOCAL = ""; // our own cluster, as callers and pods are known

    private final FathomdConfig config;
    private final Optional<KubeClient> client;
    private final Optional<SecretRootStore> shared;
    private final InstantSource clock;
    private final Parts parts = new Parts();
    private final Authority authority;
    private final ServingCertificates serving;
    private final ReloadingServerTls tls;
    private final AdsGates gates;
    private final AgentAdmission agents;

    /// @param client of the API server that reviews tokens; without one, tokens of our own are good
    /// @param shared where replicas keep a self-signed root, unless a file for it was named
    /// @param trustDomains asked whenever they matter, as MeshConfig may change them
    /// @param trust whose roots vouch for which trust domain; empty while that is not known
    MeshIdentity(
            FathomdConfig config,
            Optional<KubeClient> client,
            Optional<SecretRootStore> shared,
            MeshPods pods,
            Supplier<TrustDomains> trustDomains,
            Supplier<Optional<TrustPool>> trust,
            CaObserver observer,
            InstantSource clock) {
        this.config = config;
        this.client = client;
        this.shared = shared;
        this.clock = clock;
        try {
            authority = keep(authority());
            config.listening().rootCertFile().ifPresent(this::writeRoots);
            serving =
                    keep(new ServingCertificates(authority, ServingNames.of(config), SERVING_LIFETIME, clock).start());
            tls = new ReloadingServerTls(
                    serving.current(),
                    config.ambient().keyExchange(),
                    () -> trust.get().orElseGet(() -> TrustPool.ofAnyDomain(authority.roots())),
                    clock);
            serving.use(tls::use);
            var identity = config.identity();
            var issuer = LocalIssuer.create();
            var ways = ways(issuer, pods, trustDomains);
            var authenticator = authenticator(new CertificateAuthenticator(trustDomains), ways);
            var guests = new PeerGuests(trustDomains, trust, config.systemNamespace());
            var streams = authenticator(new CertificateAuthenticator(guests::includes), ways);
            identity.tokensFolder()
                    .ifPresent(folder -> keep(new LocalTokens(
                            folder,
                            issuer,
                            identity.credentials().tokenAudiences(),
                            identity.trustedNodeAccounts(),
                            pods::now,
                            clock)));
            var endpoint = new CertificateEndpoint(
                    authority,
                    authenticator,
                    () -> new NodeAuthorizer.Snapshot(
                            identity.trustedNodeAccounts(), trustDomains.get(), Map.of(LOCAL, pods.now())),
                    identity.limits(),
                    trust,
                    observer,
                    clock);
            var service = keep(new CertificateService(endpoint, REQUESTS_AT_ONCE));
            var mint = new KeyMint(
                    authority, identity.limits().usual(), observer, keep(new SystemTimeline()), new SecureRandom());
            agents = new AgentAdmission(
                    authenticator,
                    config.systemNamespace(),
                    AGENT,
                    client.isPresent() ? AgentAdmission.Loopback.REFUSED : AgentAdmission.Loopback.ADMITTED,
                    clock);
            gates = new AdsGates(
                    gate(streams, guests, IdentityConfig.Check.PLAINTEXT, mint),
                    gate(streams, guests, IdentityConfig.Check.TLS, mint),
                    Optional.of(service));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private Authority authority() {
        var identity = config.identity();
        return switch (identity.authority()) {
            case VAULT ->
                VaultAuthority.start(identity.vault().orElseThrow(), keep(new SystemTimeline()), new Random());
            case CACERTS ->
                plugged()
                        .orElseThrow(
                                () -> new ProblemException(
                                        Problem.ofInput(
                                                "cacerts-missing",
                                                "there are no certificates in " + identity.caFolder(),
                                                "put ca-cert.pem, ca-key.pem, cert-chain.pem and root-cert.pem there, or choose another --ca")));
            case AUTO -> plugged().orElseGet(this::selfSigned);
            case SELF_SIGNED -> selfSigned();
        };
    }

    private Optional<Authority> plugged() {
        var identity = config.identity();
        return PluggedAuthority.open(identity.caFolder(), identity.root().change(), clock)
                .map(PluggedAuthority::start);
    }

    private Authority selfSigned() {
        var identity = config.identity();
        var usual = RootPolicy.DEFAULT;
        var policy = new RootPolicy(
                usual.algorithm(),
                identity.root().lifetime(),
                usual.renewal(),
                identity.limits().longest(), // whoever is still there then has renewed, and so heard of the new root
                identity.limits().longest(),
                identity.root().checks());
        if (identity.caFile().isEmpty() && shared.isPresent()) {
            var authority = patiently(() ->
                    SelfSignedAuthority.open(shared.get(), policy, config.mesh().trustDomain(), clock));
            keep(shared.get().watch(authority::checkSoon));
            return authority.start();
        }
        RootStore store = identity.caFile().<RootStore>map(FileRootStore::new).orElseGet(() -> {
            log.atInfo().log("the root certificate ends with this process: --ca-file keeps it");
            return new MemoryRootStore();
        });
        return SelfSignedAuthority.open(store, policy, config.mesh().trustDomain(), clock)
                .start();
    }

    /// The API server may start together with us.
    private static <T> T patiently(Supplier<T> attempt) {
        var backoff = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(5), new SplittableRandom());
        for (var tries = 1; ; tries++) {
            try {
                return attempt.get();
            } catch (ProblemException e) {
                if (e.problem().retry() == Problem.Retry.POINTLESS || tries >= MOST_TRIES) {
                    throw e;
                }
                log.atWarn().addKeyValue("code", e.problem().code()).log("no root yet: " + e.problem());
                try {
                    Thread.sleep(backoff.next());
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    throw e;
                }
            }
        }
    }

    /// Certificates first, if they count at all.
    private CallerAuthenticator authenticator(CertificateAuthenticator certificates, List<CallerAuthenticator> others) {
        var ways = new ArrayList<CallerAuthenticator>();
        if (config.identity().credentials().ways().contains(IdentityConfig.Way.CERTIFICATE)) {
            ways.add(certificates);
        }
        ways.addAll(others);
        return new AuthenticatorChain(ways);
    }

    private List<CallerAuthenticator> ways(LocalIssuer issuer, MeshPods pods, Supplier<TrustDomains> trustDomains) {
        var identity = config.identity();
        var ways = new ArrayList<CallerAuthenticator>();
        var ours = Set.of(LOCAL, config.clusterId());
        if (identity.credentials().ways().contains(IdentityConfig.Way.JWT)) {
            identity.credentials()
                    .jwtRule()
                    .ifPresent(rule -> ways.add(new JwtAuthenticator(
                            verifier(rule),
                            id -> ours.contains(id) ? Optional.of(LOCAL) : Optional.empty(),
                            trustDomains,
                            clock)));
        }
        if (identity.credentials().ways().contains(IdentityConfig.Way.TOKEN)) {
            var reviewer = client.<TokenReviewer>map(TokenReviewClient::new)
                    .orElseGet(() -> new LocalTokenReviewer(issuer, pods::now, clock));
            var reviewed = Optional.of(new TokenReviewAuthenticator.Reviewed(LOCAL, reviewer));
            ways.add(new TokenReviewAuthenticator(
                    id -> ours.contains(id) ? reviewed : Optional.empty(),
                    identity.credentials().tokenAudiences(),
                    trustDomains));
        }
        if (!identity.credentials().gateways().isEmpty()) {
            ways.add(
                    new ForwardedCertificateAuthenticator(identity.credentials().gateways(), trustDomains));
        }
        return ways;
    }

    private JwtVerifier verifier(JwtRule rule) {
        var keys = rule.keySet()
                .map(set -> IssuerKeys.fixed(JsonWebKey.parseSet(set)))
                .orElseGet(() -> keep(new RemoteKeys(rule, clock)));
        // a token for somebody else is not for us: without audiences of its own the rule has ours
        var audiences = rule.audiences().isEmpty()
                ? Set.copyOf(config.identity().credentials().tokenAudiences())
                : rule.audiences();
        return new JwtVerifier(rule.issuer(), audiences, keys);
    }

    private Optional<StreamGate> gate(
            CallerAuthenticator authenticator, PeerGuests guests, IdentityConfig.Check port, KeyMint mint) {
        var checks = config.identity().checks();
        var nodes = checks.contains(IdentityConfig.Check.NODE) ? IdentityCheck.ON : IdentityCheck.OFF;
        return checks.contains(port)
                ? Optional.of(
                        new AuthenticatedStreams(authenticator, nodes, Optional.of(guests), Optional.of(mint), clock))
                : Optional.empty();
    }

    /// Now and whenever they change.
    private void writeRoots(Path file) {
        try {
            writeTo(file);
        } catch (IOException e) {
            throw new ProblemException(Problem.ofInput(
                    "root-cert-not-written",
                    "--root-cert-file: " + file + " cannot be written: " + e.getMessage(),
                    "name a file in a folder that fathomd may write to"));
        }
        keep(authority.subscribe(() -> {
            try {
                writeTo(file);
            } catch (IOException e) {
                log.atError().setCause(e).addKeyValue("file", file).log("the roots could not be written");
            }
        }));
    }

    private void writeTo(Path file) throws IOException {
        if (!authority.roots().isEmpty()) {
            RootBundle.write(file, authority.roots());
        }
    }

    AdsConfig addTo(AdsConfig ads) {
        return ads.withTls(config.listening().tlsPort(), tls);
    }

    AdsGates gates() {
        return gates;
    }

    /// Who may speak for a fleet.
    AgentAdmission agents() {
        return agents;
    }

    /// What our own servers show now.
    TlsIdentity serving() {
        return serving.current();
    }

    /// Tells what our own servers show, now and whenever that changes.
    void follow(Consumer<TlsIdentity> follower) {
        serving.use(follower);
    }

    /// Who signs, and the roots.
    Authority signer() {
        return authority;
    }

    IdentityPages pages() {
        return new IdentityPages(authority, serving);
    }

    @Override
    public void close() {
        parts.close();
    }

    private <T extends AutoCloseable> T keep(T part) {
        return parts.keep(part);
    }
}
