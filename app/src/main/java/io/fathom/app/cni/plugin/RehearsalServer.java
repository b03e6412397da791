// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni.plugin;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/// Plays API server and node agent for a [Rehearsal], until its standard input ends. The agent decides about pods, but
/// for those whose names begin with `unknown`.
public final class RehearsalServer {
    private static final char[] PASSWORD = "rehearsal".toCharArray();

    private RehearsalServer() {}

    /// Argument: a folder with `server.p12`. A kubeconfig, a network configuration and the sockets are put there.
    public static void main(String[] args) throws IOException, GeneralSecurityException {
        var folder = Path.of(args[0]);
        var keys = KeyStore.getInstance(folder.resolve("server.p12").toFile(), PASSWORD);
        var server = serve(keys);
        listen(folder.resolve("pluginevent.sock"));
        listen(folder.resolve("log.sock"));
        var certificate = keys.getCertificate(keys.aliases().nextElement());
        var pem = "-----BEGIN CERTIFICATE-----\n"
                + Base64.getMimeEncoder().encodeToString(certificate.getEncoded())
                + "\n-----END CERTIFICATE-----\n";
        Files.writeString(folder.resolve("istio-cni-kubeconfig"), """
                {"current-context": "c", "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                 "users": [{"name": "u", "user": {"token": "rehearsal"}}], "clusters": [{"name": "c", "cluster":
                  {"server": "https://127.0.0.1:%d", "certificate-authority-data": "%s"}}]}
                """.formatted(
                        server.getAddress().getPort(),
                        Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.US_ASCII))));
        Files.writeString(folder.resolve("conf.json"), """
                {"cniVersion": "1.0.0", "name": "rehearsal", "type": "istio-cni", "ambient_enabled": true,
                 "cni_agent_run_dir": "%s", "exclude_namespaces": ["kube-system"], "plugin_log_level": "info",
                 "pod_namespace": "istio-system", "enablement_selectors": [
                  {"podSelector": {"matchLabels": {"istio.io/dataplane-mode": "ambient"}}},
                  {"podSelector": {"matchExpressions": [
                     {"key": "istio.io/dataplane-mode", "operator": "NotIn", "values": ["none"]}]},
                   "namespaceSelector": {"matchLabels": {"istio.io/dataplane-mode": "ambient"}}}],
                 "prevResult": {"cniVersion": "1.0.0", "interfaces": [{"name": "eth0", "mac": "aa:bb:cc:dd:ee:ff"}],
                  "ips": [{"interface": 0, "address": "10.0.0.2/24", "gateway": "10.0.0.1"},
                          {"interface": 0, "address": "fd00::2/64"}], "dns": {}}}
                """.formatted(folder));
        System.out.println("ready");
        while (System.in.read() >= 0) {
            // until whoever started us has seen enough
        }
        System.exit(0);
    }

    private static HttpsServer serve(KeyStore keys) throws IOException, GeneralSecurityException {
        var own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, PASSWORD);
        var tls = SSLContext.getInstance("TLS");
        tls.init(own.getKeyManagers(), null, null);
        var server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        server.createContext("/", RehearsalServer::answer);
        server.start();
        return server;
    }

    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            var path = exchange.getRequestURI().getPath();
            var name = path.substring(path.lastIndexOf('/') + 1);
            var pod = path.contains("/pods/");
            var mode = name.endsWith("captured") ? "ambient" : "none";
            var bytes = """
                    {"kind": "%s", "apiVersion": "v1", "metadata": {"name": "%s", %s "uid": "u", "resourceVersion": "1",
                      "creationTimestamp": "2026-01-01T00:00:00Z", "annotations": {"a/b": "c"},
                      "labels": {"istio.io/dataplane-mode": "%s", "app": "web"}},
                     "spec": {"nodeName": "here", "serviceAccountName": "default", "containers": [{"name": "main",
                       "image": "none", "ports": [{"containerPort": 80, "name": "http", "protocol": "TCP"}]}]},
                     "status": {"phase": "Pending", "conditions": [{"type": "Ready", "status": "False"}]}}
                    """.formatted(pod ? "Pod" : "Namespace", name, pod ? "\"namespace\": \"shop\"," : "", mode)
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private static void listen(Path path) throws IOException {
        var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(path));
        Thread.ofPlatform().daemon().start(() -> {
            try (listener) {
                for (; ; ) {
                    try (var client = listener.accept()) {
                        accept(client);
                    }
                }
            } catch (IOException e) {
                System.err.println("rehearsal: " + e);
            }
        });
    }

    private static void accept(SocketChannel client) throws IOException {
        var in = new BufferedInputStream(Channels.newInputStream(client));
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.read());
        }
        var length = head.toString().replaceAll("(?s).*content-length: (\\d+).*", "$1");
        var body = new String(in.readNBytes(Integer.parseInt(length)), StandardCharsets.UTF_8);
        var undecided = head.indexOf("/add ") >= 0 && body.contains("=unknown");
        var status = undecided ? "503 Service Unavailable" : "200 OK";
        client.write(
                ByteBuffer.wrap(("HTTP/1.1 " + status + "\r\ncontent-length: 2\r\n\r\n" + (undecided ? "no" : "{}"))
                        .getBytes(StandardCharsets.US_ASCII)));
    }
}
