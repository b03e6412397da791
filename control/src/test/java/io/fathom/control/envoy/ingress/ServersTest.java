// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.fathom.control.envoy.ingress.IngressServer.ServerTraffic;
import io.fathom.control.envoy.ingress.ServerSecurity.Authorities;
import io.fathom.control.envoy.ingress.ServerSecurity.Demand;
import io.fathom.control.envoy.ingress.ServerSecurity.Proof;
import io.fathom.control.gateway.Certificates;
import io.fathom.control.gateway.Certificates.Referrer;
import io.fathom.control.gateway.GatewayProfile;
import io.fathom.control.gateway.GatewayVerdict;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.CertificateRef;
import io.fathom.wire.kube.gateway.ListenerSetManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.networking.IstioGatewayManifest;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Limits;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// From Gateways of both kinds to servers, and from servers to ports.
class ServersTest {
    private static final String GATEWAY = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: gw, namespace: edge}
            spec:
              gatewayClassName: istio
            """;

    private static Manifest read(String yaml) {
        var document = (Document.Parsed)
                Documents.ofYaml("test.yaml", yaml, Limits.DEFAULT).getFirst();
        var reader =
                new ManifestReader(ReaderConfig.of("c1", "", "istio-system").ofApiServer());
        var reading = reader.read(document.root(), _ -> Instant.EPOCH).getFirst();
        return ((Reading.Good) reading).manifest();
    }

    private static List<IngressServer> gateway(String spec) {
        return gateway(spec, (_, _) -> false);
    }

    private static List<IngressServer> gateway(String spec, Grants grants) {
        return GatewayServers.of(verdict((GatewayManifest) read(GATEWAY + spec.indent(2)), List.of(), grants));
    }

    private static GatewayVerdict verdict(GatewayManifest gateway, List<ListenerSetManifest> sets, Grants grants) {
        return GatewayVerdict.of(gateway, sets, _ -> true, GatewayProfile.INGRESS, new Permitted(grants));
    }

    /// Whether somebody may refer to an object of another namespace.
    private interface Grants {
        boolean permit(Referrer from, CertificateRef object);
    }

    /// Everything is there and good, but those of other namespaces need a grant.
    private record Permitted(Grants grants) implements Certificates {
        @Override
        public CertificateVerdict judge(Referrer from, CertificateRef reference) {
            if (reference.kind().equals("Wrong")) {
                return new CertificateVerdict.Invalid("wrong");
            }
            return reference
                                    .namespaceFor(from.key().namespace())
                                    .equals(from.key().namespace())
                            || grants.permit(from, reference)
                    ? new CertificateVerdict.Good()
                    : new CertificateVerdict.Forbidden("no grant");
        }

        @Override
        public CertificateVerdict judgeAuthority(Referrer from, CertificateRef reference) {
            return judge(from, reference);
        }

        @Override
        public CertificateVerdict judgeBeside(Referrer from, CertificateRef reference) {
            return judge(from, reference);
        }
    }

    private static List<IngressServer> istio(String servers) {
        var yaml = """
                apiVersion: networking.istio.io/v1
                kind: Gateway
                metadata: {name: gw, namespace: shop}
                spec:
                  selector: {istio: ingressgateway}
                  servers:
                """ + servers.indent(2);
        return IstioServers.of((IstioGatewayManifest) read(yaml), "edge");
    }

    @Test
    void givenListeners_thenEachIsAServer() {
        var servers = gateway("""
                listeners:
                - {name: web, port: 80, protocol: HTTP}
                - {name: host, port: 80, protocol: HTTP, hostname: "*.example"}
                - {name: secure, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}}
                - {name: pass, port: 8443, protocol: TLS, tls: {mode: Passthrough}}
                - {name: ends, port: 8444, protocol: TLS, tls: {certificateRefs: [{name: cert}]}}
                - {name: raw, port: 9000, protocol: TCP}
                - {name: mesh, port: 15008, protocol: HBONE}
                """);

        assertThat(servers)
                .extracting(IngressServer::name, IngressServer::traffic, IngressServer::routeTable)
                .containsExactly(
                        tuple("web", ServerTraffic.HTTP, "http.80"),
                        tuple("host", ServerTraffic.HTTP, "http.80"),
                        tuple("secure", ServerTraffic.HTTPS, "https.443.secure.gw.edge"),
                        tuple("pass", ServerTraffic.PASSTHROUGH, "http.8443"),
                        tuple("ends", ServerTraffic.TLS, "http.8444"),
                        tuple("raw", ServerTraffic.TCP, "http.9000"));
        assertThat(servers.get(1).hosts()).containsExactly("*.example");
        assertThat(IngressListeners.secrets(servers.get(2))).containsExactly("kubernetes-gateway://edge/cert");
    }

    @Test
    void givenACertificateOfAnotherNamespace_thenItIsUsedOnlyWithAGrant() {
        var spec = """
                listeners:
                - name: secure
                  port: 443
                  protocol: HTTPS
                  tls: {certificateRefs: [{namespace: certs, name: cert}]}
                """;
        assertThat(gateway(spec)).isEmpty();
        assertThat(gateway(
                        spec,
                        (from, object) -> from.kind().equals("Gateway")
                                && from.key().namespace().equals("edge")
                                && object.equals(new CertificateRef("", "Secret", "certs", "cert"))))
                .flatExtracting(IngressListeners::secrets)
                .containsExactly("kubernetes-gateway://certs/cert");
    }

    @Test
    void givenListenerSets_thenTheirServersComeAfterThoseOfTheGateway() {
        var gateway = (GatewayManifest) read(GATEWAY + """
                listeners:
                - {name: web, port: 80, protocol: HTTP, hostname: a.example}
                - {name: tls, port: 443, protocol: HTTPS, hostname: a.example, tls: {certificateRefs: [{name: cert}]}}
                """.indent(2));
        var set = (ListenerSetManifest) read("""
                apiVersion: gateway.networking.k8s.io/v1
                kind: ListenerSet
                metadata: {name: gw, namespace: shop}
                spec:
                  parentRef: {name: gw, namespace: edge}
                  listeners:
                  - {name: web, port: 80, protocol: HTTP, hostname: b.example}
                  - {name: tls, port: 443, protocol: HTTPS, hostname: b.example, tls: {certificateRefs: [{name: cert}]}}
                  - {name: far, port: 443, protocol: HTTPS, hostname: c.example, tls: {certificateRefs: [{name: x, namespace: edge}]}}
                  - {name: taken, port: 80, protocol: HTTP, hostname: a.example}
                  - {name: other, port: 80, protocol: TCP}
                """);
        var servers = GatewayServers.of(verdict(gateway, List.of(set), (_, _) -> false));

        assertThat(servers)
                .extracting(IngressServer::name, IngressServer::routeTable)
                .containsExactly(
                        tuple("web", "http.80"),
                        tuple("tls", "https.443.tls.gw.edge"),
                        tuple("web", "http.80"),
                        tuple("tls", "https.443.tls.gw.shop.listenerset"));
        assertThat(IngressListeners.secrets(servers.get(3))).containsExactly("kubernetes-gateway://shop/cert");
        assertThat(PortPlan.of(servers).conflicts()).isEmpty();
        assertThat(GatewayServers.of(verdict(
                        gateway, List.of(set), (from, _) -> from.equals(new Referrer("ListenerSet", set.key())))))
                .extracting(IngressServer::name)
                .contains("far");
    }

    @Test
    void givenAuthoritiesForClients_thenPortsMayDiffer() {
        var servers = gateway("""
                tls:
                  frontend:
                    default: {validation: {caCertificateRefs: [{group: "", kind: ConfigMap, name: ca}]}}
                    perPort:
                    - port: 444
                      tls:
                        validation:
                          mode: AllowInsecureFallback
                          caCertificateRefs: [{group: "", kind: Secret, name: ca}]
                    - port: 445
                      tls: {validation: {caCertificateRefs: [{group: "", kind: ConfigMap, namespace: x, name: ca}]}}
                    - {port: 446, tls: {}}
                listeners:
                - {name: a, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}}
                - {name: b, port: 444, protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}}
                - {name: forbidden, port: 445, protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}}
                - {name: d, port: 446, protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}}
                """);

        assertThat(servers).extracting(IngressServer::name).containsExactly("a", "b", "d");
        assertThat(servers)
                .extracting(server -> server.security().orElseThrow().clients().demand())
                .containsExactly(Demand.REQUIRED, Demand.LOOKED_AT, Demand.NOTHING);
        assertThat(servers.get(0).security().orElseThrow().clients().authorities())
                .contains(new Authorities.Named("configmap://edge/ca-cacert"));
        assertThat(servers.get(1).security().orElseThrow().clients().authorities())
                .contains(new Authorities.Named("kubernetes-gateway://edge/ca-cacert"));
    }

    @Test
    void givenACertificateForBackends_thenItIsNamedOrNobodyEverSendsIt() {
        assertThat(clientCertificate("{name: cert}")).contains("kubernetes-gateway://edge/cert");
        assertThat(clientCertificate("{name: cert, namespace: certs}")).contains("invalid://edge/gw");
        assertThat(clientCertificate("{name: cert, kind: Wrong}")).contains("invalid://edge/gw");
        assertThat(GatewayServers.clientCertificate(
                        verdict((GatewayManifest) read(GATEWAY), List.of(), (_, _) -> false)))
                .isEmpty();
    }

    private static Optional<String> clientCertificate(String reference) {
        var gateway = (GatewayManifest) read(GATEWAY + "  tls: {backend: {clientCertificateRef: " + reference + "}}");
        return GatewayServers.clientCertificate(verdict(gateway, List.of(), (_, _) -> false));
    }

    @Test
    void givenIstiosOptionsOfAListener_thenClientsAreAsked() {
        var servers = gateway("""
                listeners:
                - name: mesh
                  port: 443
                  protocol: HTTPS
                  tls: {options: {gateway.istio.io/tls-terminate-mode: ISTIO_MUTUAL}}
                - name: mutual
                  port: 444
                  protocol: HTTPS
                  tls:
                    certificateRefs: [{name: cert}]
                    options: {gateway.istio.io/tls-terminate-mode: MUTUAL}
                """);

        assertThat(servers.get(0).security().orElseThrow().proof()).isEqualTo(new Proof.OfMesh());
        assertThat(IngressListeners.secrets(servers.get(0))).isEmpty();
        assertThat(IngressListeners.secrets(servers.get(1)))
                .containsExactly("kubernetes-gateway://edge/cert", "kubernetes-gateway://edge/cert-cacert");
    }

    @Test
    void givenServersOfAnIstioGateway_thenCredentialsAreBesideTheProxy() {
        var servers = istio("""
                - {port: {number: 80, name: http, protocol: HTTP}, hosts: [./a.example, x/b.example], tls: {httpsRedirect: true}}
                - {port: {number: 443, name: s, protocol: HTTPS}, hosts: ["*/a.example"], tls: {mode: SIMPLE, credentialName: c}}
                - {port: {number: 443, name: m, protocol: HTTPS}, hosts: [b.example], tls: {mode: MUTUAL, credentialName: c}}
                - {port: {number: 443, name: p, protocol: TLS}, hosts: [c.example], tls: {mode: PASSTHROUGH}}
                - {port: {number: 443, name: t, protocol: TLS}, hosts: [d.example], tls: {mode: SIMPLE, credentialNames: [c, d]}}
                - {port: {number: 9000, name: tcp, protocol: TCP}, hosts: ["*"]}
                - {port: {number: 15443, name: auto, protocol: TLS}, hosts: ["*"], tls: {mode: AUTO_PASSTHROUGH}}
                """);

        assertThat(servers)
                .extracting(IngressServer::name, IngressServer::traffic, IngressServer::hosts)
                .containsExactly(
                        tuple("http", ServerTraffic.HTTP, List.of("shop/a.example", "x/b.example")),
                        tuple("s", ServerTraffic.HTTPS, List.of("a.example")),
                        tuple("m", ServerTraffic.HTTPS, List.of("b.example")),
                        tuple("p", ServerTraffic.PASSTHROUGH, List.of("c.example")),
                        tuple("t", ServerTraffic.TLS, List.of("d.example")),
                        tuple("tcp", ServerTraffic.TCP, List.of("*")),
                        tuple("auto", ServerTraffic.AUTO_PASSTHROUGH, List.of("*")));
        assertThat(servers.getFirst().plaintext()).isEqualTo(IngressServer.Plaintext.REDIRECTED);
        assertThat(servers.getFirst().hostnames()).containsExactly("a.example", "b.example");
        assertThat(servers.get(1).routeTable()).isEqualTo("https.443.s.gw.shop");
        assertThat(IngressListeners.secrets(servers.get(2))).containsExactly("kubernetes://c", "kubernetes://c-cacert");
        assertThat(IngressListeners.secrets(servers.get(4))).containsExactly("kubernetes://c", "kubernetes://d");
    }

    @Test
    void givenACredentialOfAnotherNamespace_thenNoPrefixLeadsToIt() {
        assertThat(istio("""
                - {port: {number: 1, name: a, protocol: HTTPS}, hosts: ["*"], tls: {mode: SIMPLE, credentialName: "kubernetes://kube-system/c"}}
                - {port: {number: 2, name: b, protocol: HTTPS}, hosts: ["*"], tls: {mode: SIMPLE, credentialName: "kubernetes-gateway://kube-system/c"}}
                - {port: {number: 3, name: c, protocol: HTTPS}, hosts: ["*"], tls: {mode: SIMPLE, credentialName: "edge/c"}}
                """)).extracting(IngressServer::name).containsExactly("c");
    }

    @Test
    void givenServersThatWantTheSame_thenTheFirstHasIt() {
        var servers = istio("""
                - {port: {number: 443, name: first, protocol: HTTPS}, hosts: [a.example], tls: {mode: SIMPLE, credentialName: c}}
                - {port: {number: 443, name: second, protocol: HTTPS}, hosts: [a.example], tls: {mode: SIMPLE, credentialName: d}}
                - {port: {number: 443, name: part, protocol: HTTPS}, hosts: [a.example, b.example], tls: {mode: SIMPLE, credentialName: d}}
                - {port: {number: 443, name: plain, protocol: HTTP}, hosts: ["*"]}
                - {port: {number: 90, name: one, protocol: TCP}, hosts: ["*"]}
                - {port: {number: 90, name: two, protocol: TCP}, hosts: ["*"]}
                - {port: {number: 80, name: x, protocol: HTTP}, hosts: [a.example]}
                - {port: {number: 80, name: y, protocol: HTTP}, hosts: [a.example]}
                """);
        var ports = PortPlan.of(servers);

        assertThat(ports.plans())
                .extracting(plan -> plan.claims().stream()
                        .map(claim -> claim.server().name() + claim.hostnames())
                        .toList())
                .containsExactly(
                        List.of("first[a.example]", "part[b.example]"),
                        List.of("one[*]"),
                        List.of("x[a.example]", "y[a.example]"));
        assertThat(ports.conflicts())
                .extracting(
                        PortPlan.Conflict::server,
                        conflict -> conflict.problem().code())
                .containsExactly(
                        tuple("second", "ingress-host-conflict"),
                        tuple("plain", "ingress-port-conflict"),
                        tuple("two", "ingress-port-conflict"));
        assertThat(ports.plans().getLast().routeTables()).containsOnlyKeys("http.80");
    }

    @Test
    void givenAnAnnotation_thenItTellsWhatIsInFront() {
        assertThat(Topology.of(Map.of())).isEqualTo(Topology.DIRECT);
        assertThat(Topology.of(Map.of(Topology.ANNOTATION, "{")))
                .describedAs("text that cannot be read")
                .isEqualTo(Topology.DIRECT);
        assertThat(Topology.of(Map.of(Topology.ANNOTATION, """
                gatewayTopology: {numTrustedProxies: 2, forwardClientCertDetails: APPEND_FORWARD, proxyProtocol: {}}
                """)))
                .isEqualTo(
                        new Topology(2, Topology.ForwardedCertificates.APPEND_FORWARD, Topology.ProxyProtocol.SPOKEN));
    }
}
