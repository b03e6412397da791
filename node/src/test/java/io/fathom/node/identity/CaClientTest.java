// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

import static io.fathom.node.identity.Certificates.identity;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.ProblemException;
import io.fathom.node.state.RunningControlPlane;
import io.fathom.wire.ca.CaClient;
import io.fathom.wire.ca.CertificateConnection;
import io.fathom.wire.ca.CertificateOrder;
import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.CertificateChain;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.RequestWriter;
import io.fathom.wire.pki.SigningRequest;
import io.fathom.wire.pki.TrustPool;
import java.nio.file.Path;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CaClientTest {
    private static final Duration LIFETIME = Duration.ofHours(24);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void givenARealService_thenTheOrderIsAsUpstreamSendsIt_case68() {
        try (var control = new RunningControlPlane(folder);
                var connection = new CertificateConnection(control.server(), Duration.ofSeconds(10))) {
            var certificate = client(connection::create).fetch(identity("a"));
            assertThat(AlternativeNames.identities(certificate.leaf())).containsExactly(identity("a"));
            assertThat(certificate.roots()).hasSize(1);

            var order = control.orders.element();
            assertThat(order.impersonatedIdentity()).contains("spiffe://cluster.local/ns/ns/sa/a");
            assertThat(order.lifetime()).isEqualTo(LIFETIME);
            var request = SigningRequest.parse(order.csr());
            assertThat(request.names()).containsExactly("spiffe://cluster.local/ns/ns/sa/a");
            assertThat(request.asksCommonName()).isFalse();
            assertThat(certificate.leaf().getPublicKey()).isInstanceOf(ECPublicKey.class);
        }
    }

    @Test
    void whenRootAndTokenChange_thenTheNextFetchUsesThem() {
        try (var control = new RunningControlPlane(folder);
                var connection = new CertificateConnection(control.server(), Duration.ofSeconds(10))) {
            var client = client(connection::create);
            var before = client.fetch(identity("a"));
            control.rotateRoot();
            var after = client.fetch(identity("a"));
            assertThat(after.roots()).isNotEqualTo(before.roots());

            control.write("token", "bad");
            assertThatThrownBy(() -> client.fetch(identity("a")))
                    .isInstanceOf(ProblemException.class)
                    .hasMessageContaining("UNAUTHENTICATED");
            control.write("token", "good\n");
            client.fetch(identity("a"));
        }
    }

    @Test
    void givenAnswersThatWillNotDo_thenRefused_case67() {
        var root = Certificates.root("test", Certificates.NOW);
        assertThat(refusal(_ -> List.of())).isEqualTo("certificate-chain-empty");
        assertThat(refusal(order -> answer(order, root, "a").subList(0, 1))).isEqualTo("certificate-chain-empty");
        assertThat(refusal(order -> answer(order, root, "b"))).isEqualTo("certificate-for-another");
        assertThat(refusal(order -> answer(order, root, "a", "b"))).isEqualTo("certificate-for-another");
        var foreignKey = answer(
                new CertificateOrder(
                        RequestWriter.write(io.fathom.wire.pki.KeyAlgorithm.P256.generate(), List.of("x")),
                        LIFETIME,
                        java.util.Optional.empty()),
                root,
                "a");
        assertThat(refusal(_ -> foreignKey)).isEqualTo("certificate-for-another-key");
        assertThat(refusal(_ -> List.of("nothing", "nothing"))).isEqualTo("bad-certificate-pem");
    }

    private static List<String> answer(
            CertificateOrder order, io.fathom.wire.pki.SigningMaterial root, String... accounts) {
        var names = List.of(accounts).stream().map(name -> identity(name).uri()).toList();
        var leaf = new Issuer(root)
                .sign(
                        new Leaf(SigningRequest.parse(order.csr()).key(), names, Leaf.Subject.EMPTY, LIFETIME),
                        Certificates.NOW);
        return CertificateChain.of(leaf, root, TrustPool.ofAnyDomain(root.roots()));
    }

    private static String refusal(Function<CertificateOrder, List<String>> authority) {
        try {
            client(authority).fetch(identity("a"));
            return "none";
        } catch (ProblemException e) {
            return e.problem().code();
        }
    }

    private static CaClient client(Function<CertificateOrder, List<String>> authority) {
        return new CaClient(authority, LIFETIME, CaClient.Speaks.FOR_WORKLOADS);
    }
}
