// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.control.ca.NodeAuthorizer.Snapshot;
import io.fathom.control.ca.NodeAuthorizer.TrustedAccounts;
import io.fathom.control.ca.jwt.LocalIssuer;
import io.fathom.control.ca.jwt.ServiceAccountName;
import io.fathom.wire.auth.Admission;
import io.fathom.wire.auth.Credentials;
import io.fathom.wire.ca.CertificateHandler;
import io.fathom.wire.ca.CertificateOrder;
import io.fathom.wire.ca.CertificateReply;
import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.ChainVerifier;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RequestWriter;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.TestPki;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CertificateEndpointTest {
    private static final String PAYMENTS = "spiffe://cluster.local/ns/default/sa/payments";
    private static final String ORDERS = "spiffe://cluster.local/ns/default/sa/orders";
    private static final KeyPair KEYS = KeyAlgorithm.P256.generate();

    private final TestClock clock = new TestClock();
    private final TestPods pods = new TestPods()
            .add("istio-system", "ztunnel-a", "uid-a", "ztunnel", "node-a")
            .add("default", "payments-1", "uid-1", "payments", "node-a")
            .add("default", "orders-1", "uid-2", "orders", "node-b");
    private final LocalIssuer tokens = LocalIssuer.create();
    private final SigningMaterial root = TestPki.root(clock.instant());
    private final FixedAuthority authority = new FixedAuthority(root);
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final CertificateEndpoint endpoint = endpoint();

    private CertificateEndpoint endpoint() {
        var trustDomains = TrustDomains.of("cluster.local");
        var reviewer = new LocalTokenReviewer(tokens, () -> pods, clock);
        var chain = new AuthenticatorChain(List.of(
                new CertificateAuthenticator(() -> trustDomains),
                new TokenReviewAuthenticator(
                        id -> id.isEmpty()
                                ? Optional.of(new TokenReviewAuthenticator.Reviewed("", reviewer))
                                : Optional.empty(),
                        List.of("istio-ca"),
                        () -> trustDomains)));
        var snapshot =
                new Snapshot(new TrustedAccounts(Set.of("istio-system/ztunnel")), trustDomains, Map.of("", pods));
        return new CertificateEndpoint(authority, chain, () -> snapshot, CertificateLimits.DEFAULT, observer(), clock);
    }

    private CaObserver observer() {
        return new CaObserver() {
            @Override
            public void received() {
                heard.add("received");
            }

            @Override
            public void refused(String code) {
                heard.add("refused " + code);
            }

            @Override
            public void invalid(String code) {
                heard.add("invalid " + code);
            }

            @Override
            public void failed(String code) {
                heard.add("failed " + code);
            }

            @Override
            public void issued() {
                heard.add("issued");
            }
        };
    }

    @Test
    void givenAWorkloadsToken_thenItGetsItsOwnIdentity() {
        var chain = issued(handle(token("default", "payments", "payments-1", "uid-1"), order(csr(), 0)));
        var leaf = Pem.certificates(chain.getFirst()).getFirst();
        assertThat(AlternativeNames.of(leaf)).containsExactly(PAYMENTS);
        assertThat(leaf.getSubjectX500Principal().getName()).isEmpty();
        assertThat(leaf.getNotAfter().toInstant()).isEqualTo(clock.instant().plus(Duration.ofHours(24)));
        assertThat(heard).containsExactly("received", "issued");
    }

    @Test
    void givenANodeProxy_thenItGetsTheIdentitiesOfItsNode() {
        var chain = issued(handle(ztunnel(), order(csr(PAYMENTS), 3600, PAYMENTS)));
        var leaf = Pem.certificates(chain.getFirst()).getFirst();
        assertThat(AlternativeNames.of(leaf)).containsExactly(PAYMENTS);
        assertThat(leaf.getNotAfter().toInstant()).isEqualTo(clock.instant().plusSeconds(3600));
    }

    @Test
    void givenACertificateOfOurs_thenItIsRenewed() {
        var first = issued(handle(token("default", "payments", "payments-1", "uid-1"), order(csr(), 0)));
        var leaf = Pem.certificates(first.getFirst()).getFirst();
        var renewed = issued(handle(TestCredentials.certificate(leaf), order(csr(), 0)));
        assertThat(AlternativeNames.of(Pem.certificates(renewed.getFirst()).getFirst()))
                .containsExactly(PAYMENTS);
    }

    @Test
    void givenARequestWithACommonName_thenTheFirstNameBecomesIt() {
        var csr = RequestWriter.write(KEYS, "whatever", List.of());
        var chain = issued(handle(token("default", "payments", "payments-1", "uid-1"), order(csr, 0)));
        assertThat(Pem.certificates(chain.getFirst())
                        .getFirst()
                        .getSubjectX500Principal()
                        .getName())
                .isEqualTo("CN=" + PAYMENTS);
    }

    @Test
    void givenTwoIntermediatesAndTwoRoots_thenOneElementPerCertificateAndTheRootsLast() {
        var one = TestPki.intermediate(root, clock.instant(), Duration.ofDays(30));
        var two = TestPki.intermediate(one, clock.instant(), Duration.ofDays(20));
        var announced = TestPki.root(clock.instant()).signer();
        authority.use(two, List.of(root.signer(), announced));
        var chain = issued(handle(token("default", "payments", "payments-1", "uid-1"), order(csr(), 0)));

        assertThat(chain).hasSize(4).allSatisfy(element -> assertThat(element).endsWith("-----\n"));
        assertThat(Pem.certificates(chain.get(0))).hasSize(1);
        assertThat(Pem.certificates(chain.get(1))).containsExactly(two.signer());
        assertThat(Pem.certificates(chain.get(2))).containsExactly(one.signer());
        assertThat(Pem.certificates(chain.get(3))).containsExactly(root.signer(), announced);
        var path = new ArrayList<X509Certificate>();
        chain.subList(0, 3).forEach(element -> path.addAll(Pem.certificates(element)));
        assertThat(ChainVerifier.problem(path, List.of(root.signer()), clock.instant()))
                .isEmpty();
    }

    @Test
    void whenTheAuthorityChanges_thenTheNextCertificateIsSignedByTheNewOne() {
        var before = issued(handle(token("default", "payments", "payments-1", "uid-1"), order(csr(), 0)));
        var next = TestPki.root(clock.instant());
        authority.use(next, List.of(next.signer(), root.signer()));
        var after = issued(handle(token("default", "payments", "payments-1", "uid-1"), order(csr(), 0)));
        assertThat(ChainVerifier.problem(Pem.certificates(before.getFirst()), root.roots(), clock.instant()))
                .isEmpty();
        assertThat(ChainVerifier.problem(Pem.certificates(after.getFirst()), next.roots(), clock.instant()))
                .isEmpty();
    }

    static Stream<Arguments> refusals() throws Exception {
        var weak = KeyPairGenerator.getInstance("RSA");
        weak.initialize(1024);
        return Stream.of(
                argumentSet("nobody", new Ask("none", csr(), 0, null), "refused no-credentials"),
                argumentSet("a garbage token", new Ask("garbage", csr(), 0, null), "refused token-not-reviewed"),
                argumentSet("an expired token", new Ask("expired", csr(), 0, PAYMENTS), "refused token-not-reviewed"),
                argumentSet(
                        "a token for another audience",
                        new Ask("audience", csr(), 0, PAYMENTS),
                        "refused token-not-reviewed"),
                argumentSet("a token in clear", new Ask("plaintext", csr(), 0, PAYMENTS), "refused plaintext"),
                argumentSet("an unknown cluster", new Ask("cluster", csr(), 0, PAYMENTS), "refused cluster-unknown"),
                argumentSet("a pod on another node", new Ask("ztunnel", csr(), 0, ORDERS), "refused node-not-on-node"),
                argumentSet(
                        "an unknown account",
                        new Ask("ztunnel", csr(), 0, "spiffe://cluster.local/ns/default/sa/nobody"),
                        "refused node-not-on-node"),
                argumentSet("no identity", new Ask("ztunnel", csr(), 0, "payments"), "refused node-not-an-identity"),
                argumentSet(
                        "a workload that plays node proxy",
                        new Ask("payments", csr(), 0, ORDERS),
                        "refused node-caller-not-trusted"),
                argumentSet(
                        "a foreign name in the request",
                        new Ask("payments", csr(ORDERS), 0, null),
                        "invalid csr-foreign-name"),
                argumentSet(
                        "a foreign name beside its own",
                        new Ask("payments", csr(PAYMENTS, ORDERS), 0, null),
                        "invalid csr-foreign-name"),
                argumentSet(
                        "a DNS name in the request",
                        new Ask("payments", csr("bank.example"), 0, null),
                        "invalid csr-foreign-name"),
                argumentSet(
                        "a foreign name of a node proxy",
                        new Ask("ztunnel", csr(ORDERS), 0, PAYMENTS),
                        "invalid csr-foreign-name"),
                argumentSet(
                        "a weak key",
                        new Ask("payments", RequestWriter.write(weak.generateKeyPair(), List.of()), 0, null),
                        "invalid csr-weak-key"),
                argumentSet(
                        "an oversized request",
                        new Ask("payments", csr() + "x".repeat(20_000), 0, null),
                        "invalid csr-too-large"),
                argumentSet("no request", new Ask("payments", "", 0, null), "invalid csr-malformed"),
                argumentSet(
                        "too long a lifetime",
                        new Ask("payments", csr(), Duration.ofDays(91).toSeconds(), null),
                        "invalid lifetime-too-long"));
    }

    record Ask(
            String as, String csr, long seconds, @Nullable String identity) {}

    @ParameterizedTest
    @MethodSource("refusals")
    void whenRefused_thenItIsCountedAndTheCallerLearnsLittle(Ask ask, String want) {
        var order =
                new CertificateOrder(ask.csr(), Duration.ofSeconds(ask.seconds()), Optional.ofNullable(ask.identity()));
        var reply = handle(as(ask.as()), order);
        assertThat(heard).containsExactly("received", want);
        var denied = (CertificateReply.Denied) reply;
        if (want.startsWith("refused")) {
            assertThat(denied)
                    .isEqualTo(new CertificateReply.Denied(
                            CertificateReply.DenialReason.UNAUTHENTICATED, "the request was not authenticated"));
        } else {
            assertThat(denied.kind()).isEqualTo(CertificateReply.DenialReason.INVALID);
        }
    }

    @Test
    void givenTheTokenOfADeletedPod_whenReplayed_thenItIsRefused() {
        var credentials = ztunnel();
        issued(handle(credentials, order(csr(), 0, PAYMENTS)));
        pods.remove("ztunnel-a");
        assertThat(handle(credentials, order(csr(), 0, PAYMENTS))).isInstanceOf(CertificateReply.Denied.class);
        pods.add("istio-system", "ztunnel-a", "uid-new", "ztunnel", "node-a");
        assertThat(handle(credentials, order(csr(), 0, PAYMENTS))).isInstanceOf(CertificateReply.Denied.class);
    }

    @Test
    void whenTheLastPodOfAnIdentityLeaves_thenTheNodeGetsNoMoreCertificates() {
        issued(handle(ztunnel(), order(csr(), 0, PAYMENTS)));
        pods.remove("payments-1");
        assertThat(handle(ztunnel(), order(csr(), 0, PAYMENTS))).isInstanceOf(CertificateReply.Denied.class);
    }

    @Test
    void givenAnExpiredSigner_thenItFailsOnOurSide() {
        authority.use(TestPki.intermediate(root, clock.instant(), Duration.ofSeconds(-1)), root.roots());
        var reply = handle(token("default", "payments", "payments-1", "uid-1"), order(csr(), 0));
        assertThat(((CertificateReply.Denied) reply).kind()).isEqualTo(CertificateReply.DenialReason.FAILED);
        assertThat(heard).containsExactly("received", "failed signer-expired");
    }

    @Test
    void givenAnotherTrustDomainInTheRequest_thenOursIsWritten() {
        var csr = csr("spiffe://elsewhere/ns/default/sa/payments");
        var chain = issued(handle(token("default", "payments", "payments-1", "uid-1"), order(csr, 0)));
        assertThat(AlternativeNames.of(Pem.certificates(chain.getFirst()).getFirst()))
                .containsExactly(PAYMENTS);
    }

    private CertificateReply handle(Credentials credentials, CertificateOrder order) {
        return switch (endpoint.admit(credentials)) {
            case Admission.Admitted<CertificateHandler.Session> admitted ->
                admitted.who().answer(order);
            case Admission.Refused<CertificateHandler.Session> refused ->
                new CertificateReply.Denied(CertificateReply.DenialReason.UNAUTHENTICATED, refused.message());
        };
    }

    private Credentials as(String who) {
        var ztunnel = new ServiceAccountName("istio-system", "ztunnel");
        return switch (who) {
            case "none" -> TestCredentials.none();
            case "garbage" -> TestCredentials.token("garbage");
            case "expired" ->
                TestCredentials.token(tokens.token(
                        new LocalIssuer.Binding(ztunnel, "ztunnel-a", "uid-a", "node-a", List.of("istio-ca")),
                        Duration.ofSeconds(-1),
                        clock.instant()));
            case "audience" ->
                TestCredentials.token(tokens.token(
                        new LocalIssuer.Binding(ztunnel, "ztunnel-a", "uid-a", "node-a", List.of("api")),
                        Duration.ofHours(1),
                        clock.instant()));
            case "plaintext" ->
                TestCredentials.plaintext(ztunnel().bearerToken().orElseThrow());
            case "cluster" -> TestCredentials.token(ztunnel().bearerToken().orElseThrow(), "other");
            case "ztunnel" -> ztunnel();
            case "payments" -> token("default", "payments", "payments-1", "uid-1");
            default -> throw new AssertionError(who);
        };
    }

    private Credentials ztunnel() {
        return token("istio-system", "ztunnel", "ztunnel-a", "uid-a");
    }

    private Credentials token(String namespace, String account, String pod, String uid) {
        var binding = new LocalIssuer.Binding(
                new ServiceAccountName(namespace, account), pod, uid, "node-a", List.of("istio-ca"));
        return TestCredentials.token(tokens.token(binding, Duration.ofHours(1), clock.instant()));
    }

    private static String csr(String... names) {
        return RequestWriter.write(KEYS, List.of(names));
    }

    private static CertificateOrder order(String csr, long seconds) {
        return new CertificateOrder(csr, Duration.ofSeconds(seconds), Optional.empty());
    }

    private static CertificateOrder order(String csr, long seconds, String identity) {
        return new CertificateOrder(csr, Duration.ofSeconds(seconds), Optional.of(identity));
    }

    private static List<String> issued(CertificateReply reply) {
        assertThat(reply).isInstanceOf(CertificateReply.Issued.class);
        return ((CertificateReply.Issued) reply).chain();
    }
}
