// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.control.ca.CallerAuthenticator.Attempt;
import io.fathom.control.ca.jwt.JwtVerifier;
import io.fathom.control.ca.jwt.LocalIssuer;
import io.fathom.control.ca.jwt.ServiceAccountName;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpBlock;
import io.fathom.wire.auth.Credentials;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.SubjectKey;
import io.fathom.wire.pki.TestPki;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AuthenticatorsTest {
    private static final String A = "spiffe://td/ns/default/sa/a";
    private static final String GATEWAY = "10.1.2.3";
    private final TestClock clock = new TestClock();
    private final TrustDomains trustDomains = new TrustDomains("td", Set.of("old"));

    @Test
    void givenACertificate_thenItsIdentitiesOfOurTrustDomainsCount() {
        var authenticator = new CertificateAuthenticator(() -> trustDomains);
        assertThat(told(authenticator, TestCredentials.none())).isEqualTo("nothing");
        assertThat(told(authenticator, certificate(A, "spiffe://old/ns/default/sa/b", "spiffe://x/ns/n/sa/c", "dns")))
                .isEqualTo(A + ",spiffe://old/ns/default/sa/b");
        assertThat(told(authenticator, certificate("spiffe://x/ns/n/sa/c"))).isEqualTo("certificate-without-identity");
        assertThat(told(authenticator, certificate("istiod.istio-system.svc")))
                .isEqualTo("certificate-without-identity");
    }

    @Test
    void givenATokenOfTheConfiguredIssuer_thenItsAccountIsTheCaller() {
        var issuer = LocalIssuer.create();
        var authenticator = new JwtAuthenticator(
                new JwtVerifier(LocalIssuer.NAME, Set.of("istio-ca"), issuer.keys()),
                cluster -> cluster.equals("elsewhere") ? Optional.empty() : Optional.of(cluster),
                () -> trustDomains,
                clock);
        var binding = new LocalIssuer.Binding(
                new ServiceAccountName("default", "a"), "a-1", "uid", "node", List.of("istio-ca"));
        var token = issuer.token(binding, Duration.ofHours(1), clock.instant());

        assertThat(told(authenticator, TestCredentials.token(token))).isEqualTo(A);
        assertThat(told(authenticator, TestCredentials.token(token, "elsewhere")))
                .isEqualTo("cluster-unknown");
        assertThat(told(authenticator, TestCredentials.token("not.a.token"))).isEqualTo("nothing");
        assertThat(told(authenticator, TestCredentials.none())).isEqualTo("nothing");
        clock.advance(Duration.ofHours(2));
        assertThat(told(authenticator, TestCredentials.token(token))).isEqualTo("token-expired");
    }

    static Stream<Arguments> forwarded() {
        return Stream.of(
                argumentSet("from a gateway", "By=x;URI=" + A, GATEWAY, A),
                argumentSet("from this machine", "URI=" + A, "127.0.0.1", A),
                argumentSet("from elsewhere", "URI=" + A, "10.9.9.9", "forwarded-by-stranger"),
                argumentSet("from elsewhere over IPv6", "URI=" + A, "fd00::1", "forwarded-by-stranger"),
                argumentSet("quoted", "Subject=\"CN=a;b,c\";URI=\"" + A + "\"", GATEWAY, A),
                argumentSet("no URI", "Hash=abc;DNS=x", GATEWAY, "certificate-without-identity"),
                argumentSet("another mesh", "URI=spiffe://x/ns/n/sa/c", GATEWAY, "certificate-without-identity"),
                argumentSet("empty", "", GATEWAY, "certificate-without-identity"),
                argumentSet(
                        "an element of the client before that of the gateway",
                        "URI=spiffe://td/ns/kube-system/sa/admin,By=x;URI=" + A,
                        GATEWAY,
                        A),
                argumentSet(
                        "a client that opens a quote",
                        "URI=spiffe://td/ns/kube-system/sa/admin;Subject=\",By=x;Subject=\"CN=a\";URI=" + A,
                        GATEWAY,
                        A),
                argumentSet(
                        "a client that ends with a backslash",
                        "URI=spiffe://td/ns/kube-system/sa/admin;x=\\,By=x;URI=" + A,
                        GATEWAY,
                        A),
                argumentSet("an open quote", "URI=" + A + ";Subject=\"", GATEWAY, "certificate-without-identity"));
    }

    @ParameterizedTest
    @MethodSource("forwarded")
    void whenACertificateIsForwarded(String header, String from, String want) {
        var authenticator = new ForwardedCertificateAuthenticator(
                List.of(IpBlock.parse("10.1.0.0/16").orElseThrow()), () -> trustDomains);
        assertThat(told(authenticator, TestCredentials.forwarded(header, from))).isEqualTo(want);
    }

    @Test
    void givenSeveral_thenTheFirstSuccessWinsAndTheLastRefusalIsTold() {
        CallerAuthenticator absent = _ -> new Attempt.NotPresented();
        CallerAuthenticator first = _ -> CallerAuthenticator.rejected("first", "");
        CallerAuthenticator second = _ -> CallerAuthenticator.rejected("second", "");
        CallerAuthenticator success = _ -> new Attempt.Authenticated(
                new Caller(Caller.By.JWT, List.of(Identity.parse(A).orElseThrow()), Optional.empty()));
        CallerAuthenticator never = _ -> {
            throw new AssertionError("asked after a success");
        };
        assertThat(told(new AuthenticatorChain(List.of(absent, first, success, never)), TestCredentials.none()))
                .isEqualTo(A);
        assertThat(told(new AuthenticatorChain(List.of(first, second, absent)), TestCredentials.none()))
                .isEqualTo("second");
        assertThat(told(new AuthenticatorChain(List.of(absent)), TestCredentials.none()))
                .isEqualTo("nothing");
    }

    static Stream<Arguments> streams() {
        var one = List.of(Identity.parse(A).orElseThrow());
        var two = List.of(
                Identity.parse("spiffe://td/ns/other/sa/x").orElseThrow(),
                Identity.parse(A).orElseThrow());
        return Stream.of(
                argumentSet("the same namespace", one, "default", null, true),
                argumentSet("the same account", one, "default", "a", true),
                argumentSet("another namespace", one, "other", null, false),
                argumentSet("another account", one, "default", "b", false),
                argumentSet("a second identity that fits", two, "default", "a", true),
                argumentSet("parts of two identities", two, "default", "x", false));
    }

    @ParameterizedTest
    @MethodSource("streams")
    void whenAStreamSaysWhoItIs(
            List<Identity> identities, String namespace, @Nullable String account, boolean allowed) {
        var caller = new Caller(Caller.By.CLIENT_CERTIFICATE, identities, Optional.empty());
        assertThat(StreamIdentityCheck.problem(caller, namespace, Optional.ofNullable(account))
                        .isEmpty())
                .isEqualTo(allowed);
    }

    @Test
    void whenCredentialsArePrinted_thenTheTokenIsHidden() {
        assertThat(TestCredentials.token("secret").toString()).doesNotContain("secret");
    }

    private Credentials certificate(String... names) {
        var leaf = new Leaf(
                SubjectKey.of(KeyAlgorithm.P256.generate().getPublic()),
                List.of(names),
                Leaf.Subject.EMPTY,
                Duration.ofHours(1));
        X509Certificate certificate = new Issuer(TestPki.root(clock.instant()))
                .sign(leaf, clock.instant())
                .certificate();
        return TestCredentials.certificate(certificate);
    }

    private static String told(CallerAuthenticator authenticator, Credentials credentials) {
        return switch (authenticator.authenticate(credentials)) {
            case Attempt.NotPresented _ -> "nothing";
            case Attempt.Rejected rejected -> rejected.problem().code();
            case Attempt.Authenticated known ->
                String.join(
                        ",",
                        known.caller().identities().stream().map(Identity::uri).toList());
        };
    }
}
