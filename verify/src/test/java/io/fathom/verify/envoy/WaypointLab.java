// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import io.fathom.control.deploy.DeploySettings;
import io.fathom.control.deploy.GatewayDraft;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpPort;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.pki.Pem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A lab whose Envoy is the waypoint `shop/waypoint`, with clients of the mesh that are played by this process.
final class WaypointLab extends Lab {
    static final String NAMESPACE = "shop";
    static final Identity WAYPOINT = new Identity("cluster.local", NAMESPACE, "waypoint");

    WaypointLab() throws IOException {
        this(new LabAuthority(), Map.of());
    }

    /// @param more settings of the control plane
    WaypointLab(LabAuthority authority, Map<String, String> more) throws IOException {
        super(WAYPOINT, authority, more);
        write("base", """
                apiVersion: v1
                kind: Namespace
                metadata: {name: shop, labels: {istio.io/dataplane-mode: ambient, istio.io/use-waypoint: waypoint}}
                """);
        writePod(NAMESPACE, "waypoint-1", proxy(), "waypoint", waypointLabels("waypoint"), "{}", "True");
        gateway("");
    }

    /// The Gateway, with more lines for its metadata.
    void gateway(String metadata) {
        writeWaypoint(NAMESPACE, "waypoint", 250, metadata);
    }

    /// A service whose pods have the label `app` with its name. Ports are lines of YAML, as a Service has them.
    void service(String name, int vip, String ports) {
        write("service-" + name, """
                apiVersion: v1
                kind: Service
                metadata: {name: %1$s, namespace: shop}
                spec:
                  clusterIP: %2$s
                  selector: {app: %1$s}
                  ports: %3$s
                """.formatted(name, vip(vip), ports));
    }

    /// A pod of the mesh that answers, with these labels (YAML).
    EchoPod pod(String name, String labels) {
        return podIn(NAMESPACE, name, labels);
    }

    /// The same in another namespace, which has to be there.
    EchoPod podIn(String namespace, String name, String labels) {
        return echo(namespace, name, "server", labels);
    }

    void writePod(String name, String ip, String labels, String annotations) {
        writePod(NAMESPACE, name, ip, "server", labels, annotations, "True");
    }

    /// A client of the mesh with that service account.
    Caller caller(String account) {
        return caller(new Identity("cluster.local", NAMESPACE, account));
    }

    Caller caller(Identity identity) {
        var hop = IpPort.parse(proxy() + ":15008").orElseThrow();
        return keep(new Caller(identity, WAYPOINT, hop, authority(), loops().next()));
    }

    /// A client that is no member of the mesh, and knows nothing but its authority.
    OutsideClient outsider() {
        return new OutsideClient(proxy(), authority().of(WAYPOINT));
    }

    /// Starts the waypoint; it may not be ready yet.
    LabEnvoy start() throws IOException {
        return start(waypointStart());
    }

    /// The same where the cluster is called so.
    LabEnvoy startIn(String cluster) throws IOException {
        return start(waypointStart().in(cluster));
    }

    private LabEnvoy.Start waypointStart() {
        return new LabEnvoy.Start(
                "waypoint", NAMESPACE, "waypoint", "waypoint", fathomd().plaintextPort(), secretsPort(), "");
    }

    /// Starts what would be deployed for the Gateway, which has to ask for Envoy alone: the very arguments of
    /// the pod, with files and addresses of this machine in the place of the pod's.
    ///
    /// @param token the file with it
    LabEnvoy startAlone(Path token) throws IOException {
        var settings = new DeploySettings(
                "default", "istio-system", "cluster.local", "Kubernetes", "", "none", "", "warning", Set.of());
        var gateway =
                switch (Documents.ofYaml("gateway", Files.readString(manifest("waypoint-waypoint")), Limits.DEFAULT)
                        .getLast()) {
                    case Document.Parsed parsed -> parsed.root();
                    case Document.Broken broken -> throw new IllegalStateException(broken.cause());
                };
        var draft = GatewayDraft.of(gateway, "cluster.local", settings, _ -> Optional.empty())
                .orElseThrow();
        var container = Field.root(draft.deployment())
                .at("spec")
                .at("template")
                .at("spec")
                .at("containers")
                .items()
                .getFirst();
        var root = Files.writeString(
                folder().resolve("root.pem"),
                Pem.encode(authority().of(WAYPOINT).roots()));
        var arguments = container.at("args").texts().stream()
                .map(argument -> argument.replace("$(POD_NAME)", "waypoint-1")
                        .replace("$(POD_NAMESPACE)", NAMESPACE)
                        .replace("$(SERVICE_ACCOUNT)", draft.account())
                        .replace("$(INSTANCE_IP)", proxy())
                        .replace("$(INSTANCE_IPS)", proxy())
                        .replace("$(NODE_NAME)", "node")
                        .replace("$(ISTIO_CPU_LIMIT)", "1")
                        .replace("address: 127.0.0.1,", "address: " + proxy() + ",") // so that we see its pages
                        .replace("/var/run/secrets/istio/root-cert.pem", root.toString())
                        .replace("/var/run/secrets/tokens/istio-token", token.toString())
                        .replace(
                                "istiod.istio-system.svc:15012",
                                host() + ":" + fathomd().tlsPort()))
                .toList();
        return start("waypoint-1", arguments);
    }

    /// The same over mutual TLS, as with the process beside it.
    LabEnvoy startSecurely() throws IOException {
        return startSecurely("P-256");
    }

    /// @param curve with which keys are exchanged
    LabEnvoy startSecurely(String curve) throws IOException {
        var certificate = authority().of(WAYPOINT);
        var folder = folder();
        Files.writeString(folder.resolve("xds.pem"), Pem.encode(certificate.chain()));
        Files.writeString(folder.resolve("xds-key.pem"), Pem.encode(certificate.key()));
        Files.writeString(folder.resolve("xds-root.pem"), Pem.encode(certificate.roots()));
        return start(new LabEnvoy.Start(
                "waypoint", NAMESPACE, "waypoint", "waypoint", fathomd().tlsPort(), secretsPort(), """
                transport_socket:
                  name: tls
                  typed_config:
                    "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
                    sni: istiod.istio-system.svc
                    common_tls_context:
                      alpn_protocols: [h2]
                      tls_params: {tls_maximum_protocol_version: TLSv1_3, ecdh_curves: ["%2$s"]}
                      tls_certificates:
                      - {certificate_chain: {filename: %1$s/xds.pem}, private_key: {filename: %1$s/xds-key.pem}}
                      validation_context:
                        trusted_ca: {filename: %1$s/xds-root.pem}
                        match_typed_subject_alt_names:
                        - {san_type: DNS, matcher: {exact: istiod.istio-system.svc}}
                """.formatted(
                                folder, curve)));
    }

    LabEnvoy start(LabEnvoy.Start start) throws IOException {
        return start("waypoint-1", start);
    }
}
