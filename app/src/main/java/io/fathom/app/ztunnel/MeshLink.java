// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import io.fathom.base.work.Parts;
import io.fathom.node.identity.CertificateStore;
import io.fathom.node.identity.LocalCertificates;
import io.fathom.node.state.LocalMesh;
import io.fathom.node.state.NodeState;
import io.fathom.node.state.NodeStateConfig;
import io.fathom.node.telemetry.NodeMetrics;
import io.fathom.wire.ca.CaClient;
import io.fathom.wire.ca.CertificateConnection;
import io.fathom.wire.dial.TrustWatch;
import io.fathom.wire.xds.client.NodeDescription;
import io.fathom.wire.xds.client.XdsClientConfig;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What comes from the control plane: the mesh, and certificates for the workloads of this node.
record MeshLink(NodeState state, CertificateStore certificates) {
    private static final Logger log = LoggerFactory.getLogger(MeshLink.class);
    private static final Duration CA_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration DEMAND_PATIENCE = Duration.ofSeconds(5);

    static MeshLink open(ZtunnelConfig config, NodeMetrics metrics, Timeline timeline, Parts parts) {
        var state = parts.keep(NodeState.start(stateConfig(config), new XdsCounts(metrics), timeline));
        var server = config.certificates()
                .authority()
                .orElseThrow(() -> new ProblemException(Problem.ofInput(
                        "ca-address-missing",
                        "CA_ADDRESS is empty: nobody would issue certificates",
                        "give its address")));
        var connection = parts.keep(new CertificateConnection(server, CA_TIMEOUT));
        var speaks = config.dedicated().isPresent() ? CaClient.Speaks.FOR_ITSELF : CaClient.Speaks.FOR_WORKLOADS;
        var client = new CaClient(connection::create, config.certificates().lifetime(), speaks);
        var certificates = parts.keep(LocalCertificates.following(
                state, config.place().node(), client, CertificateStore.Config.DEFAULT, timeline));
        parts.keep(new TrustWatch(server.trust(), change -> renew(change, certificates), timeline).start());
        return new MeshLink(state, certificates);
    }

    private static void renew(TrustWatch.TrustChange change, CertificateStore certificates) {
        if (change instanceof TrustWatch.TrustChange.Replaced) {
            log.atInfo().log("the root has changed: certificates are ordered anew");
            certificates.renewAll();
        }
    }

    private static NodeStateConfig stateConfig(ZtunnelConfig config) {
        var description = new NodeDescription(
                Optional.of(config.own().ip()).filter(ip -> !ip.isEmpty()),
                config.own().pod(),
                config.own().namespace(),
                config.place().node(),
                config.mesh().metadata(),
                config.mesh().jsonMetadata());
        var scope = switch (config.mesh().subscription()) {
            case EVERYTHING -> XdsClientConfig.Scope.ALL;
            case ON_DEMAND -> XdsClientConfig.Scope.ON_DEMAND;
        };
        return new NodeStateConfig(
                config.place().node(),
                config.mesh().local().map(source -> switch (source) {
                    case ZtunnelConfig.LocalXds.InFile(var file) -> LocalMesh.read(file);
                    case ZtunnelConfig.LocalXds.Inline(var yaml) -> LocalMesh.parse("LOCAL_XDS", yaml);
                }),
                config.mesh().xds().map(server -> new XdsClientConfig(server, description, scope, DEMAND_PATIENCE)));
    }

    /// Everything that our certificates are rooted in.
    List<X509Certificate> roots() {
        return certificates.states().stream()
                .flatMap(state -> state.certificate().stream())
                .flatMap(certificate -> certificate.roots().stream())
                .distinct()
                .toList();
    }
}
