package io.fathom.app.ztunnel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.concurrent.locks.LockSupport;

/// Does once what a node proxy does when it starts, so that the JVM can keep what it learnt in an AOT cache. Run by
/// `bin/lib/build` with the folder and the TLS port of a control plane that rehearses, too. Its ports are the real
/// ones:
/// while another node proxy runs in the same place it fails, and nothing is lost but time.
final class Rehearsal {
    private static final long PATIENCE = 20_000_000_000L;
    private static final long PAUSE = 20_000_000L;

    private Rehearsal() {}

    public static void main(String[] args) {
        var folder = Path.of(args[0]);
        var address = "https://localhost:" + args[1];
        var root = folder.resolve("root.pem");
        var token = folder.resolve("tokens/istio-system/rehearsal/istio-token");
        await(() -> Files.exists(token));
        var settings = new HashMap<String, String>();
        settings.put("XDS_ADDRESS", address);
        settings.put("CA_ADDRESS", address);
        settings.put("XDS_ROOT_CA", root.toString());
        settings.put("CA_ROOT_CA", root.toString());
        settings.put("AUTH_TOKEN", token.toString());
        settings.put("PROXY_MODE", "dedicated");
        settings.put("PROXY_WORKLOAD_INFO", "istio-system/rehearsal/ztunnel");
        settings.put("POD_NAME", "rehearsal");
        settings.put("POD_NAMESPACE", "istio-system");
        settings.put("NODE_NAME", "here");
        settings.put("PACKET_MARK", "0");
        try (var ztunnel = Ztunnel.start(ZtunnelConfig.parse(settings, 2))) {
            await(() -> read(15021, "/healthz/ready").startsWith("HTTP/1.1 200"));
            await(() -> read(15000, "/config_dump").contains("\"Available\""));
            read(15020, "/metrics");
            ztunnel.drain();
        }
        System.exit(0);
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(Condition condition) {
        var end = System.nanoTime() + PATIENCE;
        while (!condition.holds()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("not ready in time");
            }
            LockSupport.parkNanos(PAUSE);
        }
    }

    /// As a plain socket: what an HTTP client loads would be kept, too, and the proxy has no use for it.
    private static String read(int port, String path) {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            var request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
