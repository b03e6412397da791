// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import static io.fathom.app.RehearsalCalls.await;
import static io.fathom.app.RehearsalCalls.read;

import io.fathom.app.http.HttpEndpoint;
import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import io.fathom.wire.http2.GrpcQuestion;
import io.fathom.wire.protobuf.ProtoWriter;
import io.fathom.wire.sds.SecretServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/// Does once what a companion does when it starts, so that the JVM can keep what it learnt in an AOT cache. Run by
/// `bin/lib/rehearse` with the folder and the TLS port of a control plane that rehearses, too. Envoy is played by a
/// program that sleeps and a page with figures.
final class Rehearsal {
    private static final int ADMIN = 15000;
    private static final int AGENT = 15020;

    private Rehearsal() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        var folder = Path.of(args[0]);
        var token = folder.resolve("tokens/istio-system/rehearsal/istio-token");
        var socket = folder.resolve("proxy/socket");
        await(() -> Files.exists(token));
        var settings = new HashMap<String, String>();
        settings.put("PROXY_CONFIG", """
                {"discoveryAddress":"localhost:%s","configPath":"%s"}""".formatted(args[1], folder.resolve("proxy")));
        settings.put("XDS_ROOT_CA", folder.resolve("root.pem").toString());
        settings.put("CA_ROOT_CA", folder.resolve("root.pem").toString());
        settings.put("AUTH_TOKEN", token.toString());
        settings.put("POD_NAME", "rehearsal");
        settings.put("POD_NAMESPACE", "istio-system");
        settings.put("SERVICE_ACCOUNT", "ztunnel");
        settings.put("ISTIO_META_CLUSTER_ID", "Kubernetes");
        settings.put("FATHOM_ENVOY", sleeper(folder).toString());
        settings.put("FATHOM_SECRETS_SOCKET", socket.toString());
        settings.put("TERMINATION_DRAIN_DURATION_SECONDS", "0");
        var config = ProxyConfig.parse(new String[] {"waypoint"}, settings);
        var admin = new InetSocketAddress(InetAddress.getLoopbackAddress(), ADMIN);
        try (var _ = HttpEndpoint.start(admin, figures());
                var proxy = Proxy.start(config)) {
            await(() -> read(AGENT, "/healthz/ready").startsWith("HTTP/1.1 200"));
            await(() -> read(AGENT, "/stats/prometheus").contains("istio_agent_cert_expiry_seconds"));
            secret(socket);
            proxy.drain();
        }
        System.exit(0);
    }

    private static Path sleeper(Path folder) throws IOException {
        var file = folder.resolve("envoy");
        Files.writeString(file, "#!/bin/sh\nexec sleep 60\n");
        if (!file.toFile().setExecutable(true)) {
            throw new IOException(file + " cannot be made executable");
        }
        return file;
    }

    private static Pages figures() {
        return new Pages("envoy")
                .open("/stats", "Figures", _ -> Page.Reply.text("""
                        cluster_manager.cds.update_success: 1
                        listener_manager.lds.update_success: 1
                        listener_manager.workers_started: 1
                        """))
                .open("/ready", "State", _ -> Page.Reply.text("LIVE"))
                .open("/stats/prometheus", "Figures", _ -> Page.Reply.text("envoy_istio_requests_total{} 1"));
    }

    private static void secret(Path path) throws IOException {
        var request = new ProtoWriter();
        request.element(3, SecretServer.OWN);
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(path));
            var _ = new GrpcQuestion(Channels.newInputStream(channel), Channels.newOutputStream(channel))
                    .ask(
                            "localhost",
                            "envoy.service.secret.v3.SecretDiscoveryService/StreamSecrets",
                            Map.of(),
                            request.bytes());
        }
    }
}
