// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.core.CredentialManifest;
import io.fathom.wire.kube.core.CredentialManifest.KeyPair;
import io.fathom.wire.kube.core.SecretText;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.CertificateRef;
import io.fathom.wire.kube.gateway.GatewayManifest.ClientValidation;
import io.fathom.wire.kube.gateway.GatewayManifest.ClientValidation.Strictness;
import io.fathom.wire.kube.gateway.GatewayManifest.EdgeTls;
import io.fathom.wire.kube.gateway.ListenerSetManifest;
import io.fathom.wire.kube.networking.IstioGatewayManifest;
import io.fathom.wire.kube.networking.IstioGatewayManifest.CertificateFiles;
import io.fathom.wire.kube.networking.IstioGatewayManifest.Port;
import io.fathom.wire.kube.networking.IstioGatewayManifest.Server;
import io.fathom.wire.kube.networking.IstioGatewayManifest.ServerTls;
import io.fathom.wire.kube.networking.IstioGatewayManifest.ServerTls.Mode;
import io.fathom.wire.kube.networking.IstioGatewayManifest.ServerTls.Redirect;
import io.fathom.wire.kube.networking.IstioGatewayManifest.ServerTls.Version;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What the edge of the mesh is made of.
class EdgeReadersTest {
    @Test
    void givenAnIstioGateway_thenItIsToldFromThatOfTheGatewayApi() {
        var gateway = Reads.one(IstioGatewayManifest.class, """
                apiVersion: networking.istio.io/v1
                kind: Gateway
                metadata: {name: edge, namespace: shop}
                spec:
                  selector: {istio: ingressgateway}
                  servers:
                  - port: {number: 80, name: http, protocol: HTTP}
                    hosts: ["./a.example", "*"]
                    tls: {httpsRedirect: true}
                  - name: secure
                    port: {number: 443, name: https, protocol: HTTPS}
                    bind: 10.0.0.1
                    hosts: [b.example]
                    tls:
                      mode: MUTUAL
                      credentialName: b
                      caCertCredentialName: clients
                      subjectAltNames: [c.example]
                      verifyCertificateHash: [aa]
                      verifyCertificateSpki: [bb]
                      minProtocolVersion: TLSV1_2
                      maxProtocolVersion: TLSV1_3
                      cipherSuites: [ECDHE-RSA-AES128-GCM-SHA256]
                """);

        var noFiles = new CertificateFiles("", "", "");
        assertThat(gateway.selector()).containsExactly(Map.entry("istio", "ingressgateway"));
        assertThat(gateway.servers())
                .containsExactly(
                        new Server(
                                "",
                                new Port(80, "HTTP", "http"),
                                "",
                                List.of("./a.example", "*"),
                                Optional.of(new ServerTls(
                                        Mode.PASSTHROUGH,
                                        Redirect.TO_HTTPS,
                                        List.of(),
                                        "",
                                        noFiles,
                                        List.of(),
                                        List.of(),
                                        List.of(),
                                        Version.TLS_AUTO,
                                        Version.TLS_AUTO,
                                        List.of())),
                                ""),
                        new Server(
                                "secure",
                                new Port(443, "HTTPS", "https"),
                                "10.0.0.1",
                                List.of("b.example"),
                                Optional.of(new ServerTls(
                                        Mode.MUTUAL,
                                        Redirect.NONE,
                                        List.of("b"),
                                        "clients",
                                        noFiles,
                                        List.of("c.example"),
                                        List.of("bb"),
                                        List.of("aa"),
                                        Version.TLSV1_2,
                                        Version.TLSV1_3,
                                        List.of("ECDHE-RSA-AES128-GCM-SHA256"))),
                                ""));
    }

    @Test
    void givenAGatewayOfNeitherProject_thenTheLikelyOneIsSuggested() {
        assertThat(Reads.problem("{apiVersion: networking.istio.io/v2, kind: Gateway, metadata: {name: a}}")
                        .problem()
                        .fix())
                .isEqualTo("write apiVersion: networking.istio.io/v1");
        assertThat(Reads.problem("{apiVersion: networking.k8s.io/v1, kind: Gateway, metadata: {name: a}}")
                        .problem()
                        .fix())
                .isEqualTo("write apiVersion: gateway.networking.k8s.io/v1");
    }

    @Test
    void givenAServerWithoutHosts_thenItIsRefused() {
        var problem = Reads.problem("""
                apiVersion: networking.istio.io/v1
                kind: Gateway
                metadata: {name: edge}
                spec: {servers: [{port: {number: 80, name: http, protocol: HTTP}}]}
                """);
        assertThat(problem.field()).isEqualTo("spec.servers[0].hosts");
    }

    @Test
    void givenAGatewayThatLooksAtClients_thenPortsMayDiffer() {
        var gateway = Reads.one(GatewayManifest.class, """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: edge, namespace: shop}
                spec:
                  gatewayClassName: istio
                  infrastructure: {annotations: {proxy.istio.io/config: "gatewayTopology: {numTrustedProxies: 1}"}}
                  tls:
                    backend: {clientCertificateRef: {name: us}}
                    frontend:
                      default: {validation: {caCertificateRefs: [{group: "", kind: ConfigMap, name: ca}]}}
                      perPort:
                      - port: 8443
                        tls:
                          validation:
                            mode: AllowInsecureFallback
                            caCertificateRefs: [{group: "", kind: ConfigMap, namespace: certs, name: other}]
                      - {port: 9443, tls: {}}
                """);

        var usual = new ClientValidation(List.of(new CertificateRef("", "ConfigMap", "", "ca")), Strictness.VALID_ONLY);
        var other = new ClientValidation(
                List.of(new CertificateRef("", "ConfigMap", "certs", "other")), Strictness.INSECURE_FALLBACK);
        assertThat(gateway.clients())
                .isEqualTo(new EdgeTls(
                        Optional.of(usual),
                        Map.of(8443, Optional.of(other), 9443, Optional.empty()),
                        Optional.of(new CertificateRef("", "Secret", "", "us"))));
        assertThat(gateway.clients().at(443)).contains(usual);
        assertThat(gateway.clients().at(8443)).contains(other);
        assertThat(gateway.clients().at(9443)).isEmpty();
        assertThat(gateway.infrastructure().annotations().orElseThrow()).containsKey("proxy.istio.io/config");
    }

    @Test
    void givenASecretOfTypeTls_thenItsCertificatesAreKeptAndNeverShown() {
        var credential = Reads.one(CredentialManifest.class, """
                apiVersion: v1
                kind: Secret
                type: kubernetes.io/tls
                metadata: {name: edge, namespace: shop}
                data: {tls.crt: Y2VydA==, tls.key: a2V5, ca.crt: Y2E=, ca.crl: Y3Js, other: b3RoZXI=}
                """);

        assertThat(credential.keyPair()).contains(new KeyPair(new SecretText("cert"), new SecretText("key")));
        assertThat(credential.authorities()).contains(new SecretText("ca"));
        assertThat(credential.revocations()).contains(new SecretText("crl"));
        assertThat(credential.toString()).contains("key=***").doesNotContain("cert]");
    }

    @Test
    void givenAGenericSecret_thenIstiosEntriesAreKnown() {
        var credential = Reads.one(CredentialManifest.class, """
                apiVersion: v1
                kind: Secret
                metadata: {name: edge}
                stringData: {cert: c, key: k}
                data: {cacert: Y2E=}
                """);

        assertThat(credential.keyPair()).contains(new KeyPair(new SecretText("c"), new SecretText("k")));
        assertThat(credential.authorities()).contains(new SecretText("ca"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{apiVersion: v1, kind: Secret, metadata: {name: a}, data: {password: YQ==}}",
                "{apiVersion: v1, kind: Secret, metadata: {name: a}, data: {key: YQ==}}",
                "{apiVersion: v1, kind: Secret, metadata: {name: a}, type: kubernetes.io/service-account-token, data: {ca.crt: YQ==}}"
            })
    void givenOtherSecrets_thenOnlyTheirTypeIsKept(String yaml) {
        var credential = Reads.one(CredentialManifest.class, yaml);
        assertThat(credential.keyPair()).isEmpty();
        assertThat(credential.authorities()).isEmpty();
        assertThat(credential.type()).isIn("", "kubernetes.io/service-account-token");
    }

    @Test
    void givenOtherConfigMaps_thenNothingOfThemIsRead() {
        var yaml = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {some: thing}}";
        assertThat(Reads.all(Reads.CONFIG, yaml)).singleElement().isInstanceOf(Reading.Skipped.class);
    }

    @Test
    void givenAListenerSet_thenItsListenersAreReadAsThoseOfAGateway() {
        var set = Reads.one(ListenerSetManifest.class, """
                apiVersion: gateway.networking.k8s.io/v1
                kind: ListenerSet
                metadata: {name: more, namespace: shop}
                spec:
                  parentRef: {name: edge, namespace: infra}
                  listeners: [{name: web, port: 80, protocol: HTTP, hostname: a.example}]
                """);
        assertThat(set.parent().isGateway()).isTrue();
        assertThat(set.gateway().path()).isEqualTo("infra/edge");
        assertThat(set.listeners()).singleElement().satisfies(listener -> {
            assertThat(listener.hostname()).isEqualTo("a.example");
            assertThat(listener.allowedRoutes().from()).isEqualTo(GatewayManifest.AllowedRoutes.From.SAME);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "'', false, false, false",
        "from: None, false, false, false",
        "from: Same, true, false, false",
        "from: All, true, true, true",
        "'from: Selector, selector: {matchLabels: {team: red}}', false, false, true"
    })
    void givenAllowedListeners_thenNamespacesMayAddThemOrNot(
            String namespaces, boolean own, boolean other, boolean red) {
        var allowed =
                Reads.one(GatewayManifest.class, """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: edge, namespace: infra}
                spec: {gatewayClassName: istio, allowedListeners: {namespaces: {%s}}}
                """.formatted(namespaces)).allowedListeners();
        assertThat(allowed.permits("infra", "infra", Map::of)).isEqualTo(own);
        assertThat(allowed.permits("infra", "shop", Map::of)).isEqualTo(other);
        assertThat(allowed.permits("infra", "shop", () -> Map.of("team", "red")))
                .isEqualTo(red);
    }

    @Test
    void givenAnEntryThatIsNotInBase64_thenTheSecretIsRefused() {
        var problem = Reads.problem("{apiVersion: v1, kind: Secret, metadata: {name: a}, data: {ca.crt: \"=\"}}");
        assertThat(problem.problem().message()).isEqualTo("is not in Base64");
    }

    @Test
    void givenAConfigMapWithAuthorities_thenItIsABundle() {
        var bundle = Reads.one(CaBundleManifest.class, """
                {apiVersion: v1, kind: ConfigMap, metadata: {name: ca, namespace: shop}, data: {ca.crt: pem}}
                """);
        assertThat(bundle.pem()).isEqualTo("pem");
    }
}
