// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.model.routing.MeshDelta;
import io.fathom.wire.auth.Admission;
import io.fathom.wire.auth.Credentials;
import io.fathom.wire.ca.CertificateHandler;
import io.fathom.wire.ca.CertificateOrder;
import io.fathom.wire.ca.CertificateReply;
import io.fathom.wire.ca.CertificateService;
import io.fathom.wire.dial.BearerToken;
import io.fathom.wire.dial.ServerConfig;
import io.fathom.wire.dial.ServerTrust;
import io.fathom.wire.pki.CertificateChain;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SigningRequest;
import io.fathom.wire.pki.SubjectKey;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.pki.TrustPool;
import io.fathom.wire.tls.ReloadingServerTls;
import io.fathom.wire.workload.AddressCodec;
import io.fathom.wire.workload.AuthorizationCodec;
import io.fathom.wire.xds.AdsConfig;
import io.fathom.wire.xds.AdsGates;
import io.fathom.wire.xds.AdsServer;
import io.fathom.wire.xds.XdsObserver;
import io.fathom.wire.xds.client.NodeDescription;
import io.fathom.wire.xds.client.XdsClientConfig;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.StreamGate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// Our xDS server and our certificate service on one TLS port of this machine. Whoever has the token gets whatever
/// certificate it asks for.
public final class RunningControlPlane implements AutoCloseable {
    public static final String NAME = "istiod.istio-system.svc";

    public final Queue<CertificateOrder> orders = new ConcurrentLinkedQueue<>();
    private final ResourceStore store = new ResourceStore(InstantSource.system());
    private final Path folder;
    private final CertificateService certificates = new CertificateService(new Handler(), 16);
    private final ReloadingServerTls tls;
    private final AdsServer server;
    private volatile SigningMaterial material;

    public RunningControlPlane(Path folder) {
        this.folder = folder;
        this.material = material();
        this.tls = new ReloadingServerTls(identity());
        write("token", "good");
        StreamGate gate = credentials -> isGood(credentials)
                ? new Admission.Admitted<>(StreamGate.NodeCheck.NONE)
                : new Admission.Refused<>("no");
        this.server = AdsServer.start(
                AdsConfig.DEFAULT.withHost("127.0.0.1").withTls(0, tls),
                store,
                XdsObserver.NONE,
                InstantSource.system(),
                new AdsGates(Optional.empty(), Optional.of(gate), Optional.of(certificates)));
    }

    private static Instant now() {
        return InstantSource.system().instant();
    }

    private static SigningMaterial material() {
        var keys = KeyAlgorithm.P256.generate();
        var root = RootCertificate.create(keys, "test", now().minusSeconds(60), Duration.ofDays(1));
        return new SigningMaterial(keys.getPrivate(), List.of(root), List.of(root));
    }

    private TlsIdentity identity() {
        var keys = KeyAlgorithm.P256.generate();
        var leaf = new Issuer(material)
                .sign(
                        new Leaf(
                                SubjectKey.of(keys.getPublic()),
                                List.of(NAME),
                                Leaf.Subject.EMPTY,
                                Duration.ofHours(1)),
                        now());
        write("root.pem", Pem.encode(material.roots()));
        return new TlsIdentity(keys.getPrivate(), List.of(leaf.certificate()), material.roots());
    }

    /// Another root from now on, for the server itself and for what it signs; its file is replaced.
    public void rotateRoot() {
        material = material();
        tls.use(identity());
    }

    public void write(String name, String text) {
        try {
            Files.writeString(folder.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Serves what a text in the shape of the dump says, besides what was said before.
    public void publish(String yaml) {
        publish(LocalMesh.parse("test", yaml));
    }

    public void publish(MeshDelta delta) {
        var batch = new ResourceBatch();
        delta.removedAddresses().forEach(name -> batch.remove(XdsType.ADDRESS, name));
        delta.removedPolicies().forEach(name -> batch.remove(XdsType.AUTHORIZATION, name));
        delta.addresses()
                .forEach(address -> batch.put(
                        XdsType.ADDRESS,
                        switch (address) {
                            case Workload workload -> AddressCodec.resource(workload);
                            case Service service -> AddressCodec.resource(service);
                        }));
        delta.policies().forEach(policy -> batch.put(XdsType.AUTHORIZATION, AuthorizationCodec.resource(policy)));
        store.publish(batch);
    }

    public ServerConfig server() {
        return ServerConfig.parse(
                        "https://127.0.0.1:" + server.tlsPort().orElseThrow(),
                        new ServerTrust.InFile(folder.resolve("root.pem")))
                .withAlternativeName(NAME)
                .withToken(new BearerToken.InFile(folder.resolve("token")));
    }

    public XdsClientConfig xds(XdsClientConfig.Scope scope) {
        var node = new NodeDescription(
                Optional.of("10.9.9.9"), "ztunnel", "istio-system", Optional.of("node-1"), Map.of(), Map.of());
        return new XdsClientConfig(server(), node, scope, Duration.ofSeconds(5));
    }

    private static boolean isGood(Credentials credentials) {
        return credentials.bearerToken().equals(Optional.of("good"));
    }

    private final class Handler implements CertificateHandler {
        @Override
        public Admission<Session> admit(Credentials credentials) {
            return isGood(credentials) ? new Admission.Admitted<>(this::answer) : new Admission.Refused<>("no");
        }

        private CertificateReply answer(CertificateOrder order) {
            orders.add(order);
            var request = SigningRequest.parse(order.csr());
            var leaf = new Issuer(material)
                    .sign(
                            new Leaf(
                                    request.key(),
                                    List.of(order.impersonatedIdentity().orElseThrow()),
                                    Leaf.Subject.EMPTY,
                                    order.lifetime()),
                            now());
            return new CertificateReply.Issued(
                    CertificateChain.of(leaf, material, TrustPool.ofAnyDomain(material.roots())));
        }
    }

    @Override
    public void close() {
        server.close();
        certificates.close();
    }
}
