// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.TlsIdentity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.TrustManagerFactory;

/// A lab whose Envoy is the gateway `edge/gw`, with all kinds of backends, played by this process.
final class IngressLab extends Lab {
    static final Identity GATEWAY = new Identity("cluster.local", "edge", "gw-istio");

    IngressLab() throws IOException {
        this(new LabAuthority(), Map.of());
    }

    /// @param more settings of the control plane
    IngressLab(LabAuthority authority, Map<String, String> more) throws IOException {
        super(GATEWAY, authority, more);
        write("namespaces", """
                {apiVersion: v1, kind: Namespace, metadata: {name: edge}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: outside}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {istio.io/dataplane-mode: ambient}}}
                """);
        writePod(
                "edge",
                "gw-1",
                proxy(),
                "gw-istio",
                "{gateway.networking.k8s.io/gateway-name: gw, istio: edge}",
                "{}",
                "True");
    }

    /// The Gateway, with listeners for routes of all namespaces: `name: http, port: 80, protocol: HTTP`.
    void gateway(String... listeners) {
        var lines = Stream.of(listeners)
                .map(listener -> "  - {" + listener + ", allowedRoutes: {namespaces: {from: All}}}\n")
                .collect(Collectors.joining());
        write("gateway", """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: gw, namespace: edge}
                spec:
                  gatewayClassName: istio
                  listeners:
                """ + lines);
    }

    /// A service whose pods have the label `app` with its name.
    void service(String namespace, String name, int vip, String labels, String port) {
        write("service-" + name, """
                apiVersion: v1
                kind: Service
                metadata: {name: %2$s, namespace: %1$s, labels: %4$s}
                spec: {clusterIP: %3$s, selector: {app: %2$s}, ports: [%5$s]}
                """.formatted(namespace, name, vip(vip), labels, port));
    }

    /// A pod of the mesh that answers.
    EchoPod meshed(String name, String account, String labels) {
        return echo("shop", name, account, labels);
    }

    /// A pod outside the mesh, on port 8080.
    void plain(String name, String labels) throws IOException {
        var ip = address();
        keep(answer(HttpServer.create(new InetSocketAddress(ip, 8080), 0), name));
        writePod("outside", name, ip, "server", labels, "{}", "True");
    }

    /// The same with TLS on port 8443, for clients that show a certificate of ours. Answers with its name.
    void mutual(String name, String labels) throws IOException {
        var ip = address();
        var server = HttpsServer.create(new InetSocketAddress(ip, 8443), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context(named(name))) {
            @Override
            public void configure(HttpsParameters parameters) {
                var wanted = getSSLContext().getDefaultSSLParameters();
                wanted.setNeedClientAuth(true);
                parameters.setSSLParameters(wanted);
            }
        });
        keep(answer(server, name));
        writePod("outside", name, ip, "server", labels, "{}", "True");
    }

    /// The same with TLS of its own, on port 8443.
    void encrypted(String name, String labels) throws IOException {
        var ip = address();
        keep(encrypted(name, ip, authority()));
        writePod("outside", name, ip, "server", labels, "{}", "True");
    }

    /// What answers there.
    static AutoCloseable encrypted(String name, String ip, LabAuthority authority) throws IOException {
        var server = HttpsServer.create(new InetSocketAddress(ip, 8443), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context(named(name, authority))));
        return answer(server, name);
    }

    /// A ConfigMap with the authority of all certificates here.
    void authorities(String namespace, String name) {
        write("authorities-" + name, """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: %s, namespace: %s}
                data:
                  ca.crt: |
                %s
                """.formatted(
                name, namespace, Pem.encode(named("any").roots()).indent(4).stripTrailing()));
    }

    /// What the certificate of that name says.
    String uri(String name) {
        return new Identity("outside", name, "host").uri();
    }

    static AutoCloseable answer(HttpServer server, String name) {
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.getResponseHeaders().add("x-pod", name);
                if (exchange instanceof HttpsExchange secured) {
                    exchange.getResponseHeaders().add("x-client", client(secured));
                }
                var body = name.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        server.start();
        return () -> server.stop(0);
    }

    private static String client(HttpsExchange exchange) {
        try {
            var shown = (X509Certificate) exchange.getSSLSession().getPeerCertificates()[0];
            return shown.getSubjectAlternativeNames().iterator().next().get(1).toString();
        } catch (SSLPeerUnverifiedException e) {
            return "nobody";
        } catch (CertificateParsingException e) {
            return e.toString();
        }
    }

    /// A certificate that says that name.
    TlsIdentity named(String name) {
        return named(name, authority());
    }

    private static TlsIdentity named(String name, LabAuthority authority) {
        return authority.of(new Identity("outside", name, "host"));
    }

    /// A Secret of type TLS with it.
    void secret(String name) {
        var identity = named(name); // with whoever signed it
        write("secret-" + name, """
                apiVersion: v1
                kind: Secret
                type: kubernetes.io/tls
                metadata: {name: %s, namespace: edge}
                stringData:
                  tls.crt: |
                %s
                  tls.key: |
                %s
                  ca.crt: |
                %s
                """.formatted(
                        name,
                        Pem.encode(identity.chain()).indent(4).stripTrailing(),
                        Pem.encode(identity.key()).indent(4).stripTrailing(),
                        Pem.encode(identity.roots()).indent(4).stripTrailing()));
    }

    private static SSLContext context(TlsIdentity identity) {
        try {
            var own = KeyStore.getInstance("PKCS12");
            own.load(null, null);
            own.setKeyEntry("own", identity.key(), new char[0], identity.chain().toArray(X509Certificate[]::new));
            var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(own, new char[0]);
            var context = SSLContext.getInstance("TLS");
            var roots = KeyStore.getInstance("PKCS12");
            roots.load(null, null);
            roots.setCertificateEntry("root", identity.roots().getFirst());
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(roots);
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new AssertionError(e);
        }
    }

    /// Starts the gateway; it may not be ready yet. It talks to the control plane with TLS.
    LabEnvoy start() throws IOException {
        var tls = """
                transport_socket:
                  name: tls
                  typed_config:
                    "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
                    common_tls_context:
                      tls_certificate_sds_secret_configs:
                      - name: default
                        sds_config: &sds
                          resource_api_version: V3
                          api_config_source:
                            api_type: GRPC
                            transport_api_version: V3
                            grpc_services: [{envoy_grpc: {cluster_name: sds-grpc}}]
                      validation_context_sds_secret_config: {name: ROOTCA, sds_config: *sds}
                """;
        return start(
                "gw-1",
                new LabEnvoy.Start("router", "edge", "gw", "gw-istio", fathomd().tlsPort(), secretsPort(), tls));
    }

    /// The same, with what is between it and the control plane, or the control plane without TLS.
    LabEnvoy start(int xds) throws IOException {
        return start("gw-1", new LabEnvoy.Start("router", "edge", "gw", "gw-istio", xds, secretsPort(), ""));
    }

    OutsideClient client() {
        return new OutsideClient(proxy(), authority().of(GATEWAY));
    }
}
