// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import io.fathom.wire.auth.Admission;
import io.fathom.wire.auth.Credentials;
import io.fathom.wire.dial.BearerToken;
import io.fathom.wire.dial.ServerConfig;
import io.fathom.wire.dial.ServerTrust;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SubjectKey;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.ReloadingServerTls;
import io.fathom.wire.xds.AdsConfig;
import io.fathom.wire.xds.AdsGates;
import io.fathom.wire.xds.AdsServer;
import io.fathom.wire.xds.XdsObserver;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.ClientNode;
import io.fathom.wire.xds.stream.StreamGate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// Our xDS server on a TLS port of this machine, which can go away and come back on the same port.
final class ControlPlane implements AutoCloseable {
    static final String NAME = "istiod.istio-system.svc";

    final ResourceStore store = new ResourceStore(InstantSource.system());
    final Queue<Credentials> callers = new ConcurrentLinkedQueue<>();
    final Queue<String> refusals = new ConcurrentLinkedQueue<>();
    final Queue<Integer> resourcesSent = new ConcurrentLinkedQueue<>();
    private final Path folder;
    private final ReloadingServerTls tls;
    private AdsServer server;

    ControlPlane(Path folder) {
        this.folder = folder;
        this.tls = new ReloadingServerTls(identity());
        this.server = start(0);
        write("token", "token-1");
    }

    private TlsIdentity identity() {
        var now = InstantSource.system().instant();
        var rootKeys = KeyAlgorithm.P256.generate();
        var root = RootCertificate.create(rootKeys, "test", now.minusSeconds(60), Duration.ofDays(1));
        var signer = new Issuer(new SigningMaterial(rootKeys.getPrivate(), List.of(root), List.of(root)));
        var keys = KeyAlgorithm.P256.generate();
        var leaf = signer.sign(
                new Leaf(SubjectKey.of(keys.getPublic()), List.of(NAME), Leaf.Subject.EMPTY, Duration.ofHours(1)), now);
        write("root.pem", Pem.encode(root));
        return new TlsIdentity(keys.getPrivate(), List.of(leaf.certificate()), List.of(root));
    }

    void write(String name, String text) {
        try {
            Files.writeString(folder.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Its certificate is from another root from now on, which is written to the same file.
    void rotateRoot() {
        tls.use(identity());
    }

    private AdsServer start(int port) {
        StreamGate gate = credentials -> {
            callers.add(credentials);
            return new Admission.Admitted<>(StreamGate.NodeCheck.NONE);
        };
        var observer = new XdsObserver() {
            @Override
            public void refused(ClientNode client, XdsType type, String error) {
                refusals.add(error);
            }

            @Override
            public void pushed(Push push) {
                resourcesSent.add(push.resources());
            }
        };
        return AdsServer.start(
                AdsConfig.DEFAULT.withHost("127.0.0.1").withTls(port, tls),
                store,
                observer,
                InstantSource.system(),
                new AdsGates(Optional.empty(), Optional.of(gate), Optional.empty()));
    }

    int port() {
        return server.tlsPort().orElseThrow();
    }

    void restart() {
        var port = port();
        server.close();
        server = start(port);
    }

    ServerConfig config() {
        return ServerConfig.parse("https://127.0.0.1:" + port(), new ServerTrust.InFile(folder.resolve("root.pem")))
                .withAlternativeName(NAME)
                .withToken(new BearerToken.InFile(folder.resolve("token")))
                .withClusterId("cluster-7");
    }

    @Override
    public void close() {
        server.close();
    }
}
