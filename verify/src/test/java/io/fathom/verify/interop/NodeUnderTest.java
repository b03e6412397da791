// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import com.fasterxml.jackson.core.JsonFactory;
import io.fathom.base.lang.SystemTimeline;
import io.fathom.model.mesh.Identity;
import io.fathom.model.routing.MeshView;
import io.fathom.node.identity.CertificateDump;
import io.fathom.node.identity.CertificateStore;
import io.fathom.node.identity.LocalCertificates;
import io.fathom.node.state.DumpWriter;
import io.fathom.node.state.NodeState;
import io.fathom.node.state.NodeStateConfig;
import io.fathom.wire.ca.CaClient;
import io.fathom.wire.ca.CertificateConnection;
import io.fathom.wire.dial.BearerToken;
import io.fathom.wire.dial.ServerConfig;
import io.fathom.wire.dial.ServerTrust;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.xds.client.NodeDescription;
import io.fathom.wire.xds.client.XdsClientConfig;
import io.fathom.wire.xds.client.XdsClientObserver;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// What our node proxy knows and holds, without its sockets: state and certificates from a control plane on this
/// machine.
final class NodeUnderTest implements AutoCloseable {
    private final SystemTimeline timeline = new SystemTimeline();
    private final CertificateConnection authority;
    private final NodeState state;
    private final CertificateStore certificates;

    NodeUnderTest(int port, Path root, Path token, XdsClientConfig.Scope scope) {
        var server = ServerConfig.parse("https://127.0.0.1:" + port, new ServerTrust.InFile(root))
                .withAlternativeName("istiod.istio-system.svc")
                .withToken(new BearerToken.InFile(token));
        var node = Optional.of(LocalNodeProxy.NODE);
        var description = new NodeDescription(
                Optional.of("10.88.0.1"),
                LocalNodeProxy.POD,
                "istio-system",
                node,
                Map.of("CLUSTER_ID", "Kubernetes"),
                Map.of());
        authority = new CertificateConnection(server, Duration.ofSeconds(10));
        state = NodeState.start(
                new NodeStateConfig(
                        node,
                        Optional.empty(),
                        Optional.of(new XdsClientConfig(server, description, scope, Duration.ofSeconds(10)))),
                XdsClientObserver.NONE,
                timeline);
        certificates = LocalCertificates.following(
                state,
                node,
                new CaClient(authority::create, Duration.ofHours(24), CaClient.Speaks.FOR_WORKLOADS),
                CertificateStore.Config.DEFAULT,
                timeline);
    }

    NodeState state() {
        return state;
    }

    MeshView view() {
        return state.view();
    }

    CompletableFuture<Void> ready() {
        return state.ready();
    }

    Optional<TlsIdentity> certificate(String namespace, String account) {
        return certificates.current(new Identity("cluster.local", namespace, account));
    }

    CertificateStore certificates() {
        return certificates;
    }

    String dump() {
        var text = new StringWriter();
        try (var out = new JsonFactory().createGenerator(text)) {
            out.writeStartObject();
            new DumpWriter(out).write(view());
            new CertificateDump(out).write(certificates.states());
            out.writeObjectFieldStart("workloadState");
            out.writeEndObject();
            out.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    @Override
    public void close() {
        certificates.close();
        state.close();
        authority.close();
        timeline.close();
    }
}
