// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.wire.http2.GrpcRefusal;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SubjectKey;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.ReloadingServerTls;
import io.fathom.wire.tls.TlsPolicy;
import io.fathom.wire.tls.TlsPolicy.KeyExchange;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A server without any service: whoever gets through TLS hears that.
class GrpcSocketTest {
    private static final String NAME = "istiod.istio-system.svc";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private Server server;

    @AfterEach
    void stop() {
        server.shutdownNow();
    }

    private static TlsIdentity identity() {
        var now = InstantSource.system().instant();
        var rootKeys = KeyAlgorithm.P256.generate();
        var root = RootCertificate.create(rootKeys, "test", now.minusSeconds(60), Duration.ofDays(1));
        var signer = new Issuer(new SigningMaterial(rootKeys.getPrivate(), List.of(root), List.of(root)));
        var keys = KeyAlgorithm.P256.generate();
        var leaf = signer.sign(
                new Leaf(SubjectKey.of(keys.getPublic()), List.of(NAME), Leaf.Subject.EMPTY, Duration.ofHours(1)), now);
        return new TlsIdentity(keys.getPrivate(), List.of(leaf.certificate()), List.of(root));
    }

    private void serve(TlsIdentity identity, KeyExchange exchange) throws IOException {
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sslContext(new ReloadingServerTls(identity, exchange))
                .build()
                .start();
    }

    private ServerConfig config(TlsIdentity trusted, String name, KeyExchange exchange) throws IOException {
        var roots = Files.writeString(folder.resolve("root.pem"), Pem.encode(trusted.roots()));
        return ServerConfig.parse("127.0.0.1:" + server.getPort(), new ServerTrust.InFile(roots))
                .withAlternativeName(name)
                .withTls(new TlsPolicy(TlsPolicy.Versions.TLS13, exchange));
    }

    private static void ask(ServerConfig config) throws IOException {
        GrpcSocket.ask(config, "a.Service/Call", new byte[0], Duration.ofSeconds(20));
    }

    @ParameterizedTest
    @EnumSource
    void givenTheServerThatIsMeant_thenItIsHeard(KeyExchange exchange) throws IOException {
        var identity = identity();
        serve(identity, exchange);

        assertThatThrownBy(() -> ask(config(identity, NAME, exchange)))
                .isInstanceOfSatisfying(
                        GrpcRefusal.class, refusal -> assertThat(refusal.code()).isEqualTo("UNIMPLEMENTED"));
    }

    @ParameterizedTest
    @EnumSource
    void givenAnotherName_thenTheServerIsNotTrusted(KeyExchange exchange) throws IOException {
        var identity = identity();
        serve(identity, exchange);

        assertThatThrownBy(() -> ask(config(identity, "other.svc", exchange)))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(GrpcRefusal.class);
    }

    @ParameterizedTest
    @EnumSource
    void givenAnotherRoot_thenTheServerIsNotTrusted(KeyExchange exchange) throws IOException {
        serve(identity(), exchange);

        assertThatThrownBy(() -> ask(config(identity(), NAME, exchange)))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(GrpcRefusal.class);
    }

    @Test
    void givenAServerThatWantsApprovedGroups_whenTheClientKnowsTheHybridAlone_thenTheyDoNotAgree() throws IOException {
        var identity = identity();
        serve(identity, KeyExchange.FIPS_140_2);

        assertThatThrownBy(() -> ask(config(identity, NAME, KeyExchange.POST_QUANTUM)))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(GrpcRefusal.class);
    }
}
