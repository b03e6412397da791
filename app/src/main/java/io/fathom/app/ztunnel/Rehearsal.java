package io.fathom.app.ztunnel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
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
            await(() -> read("http://127.0.0.1:15021/healthz/ready").startsWith("ready"));
            await(() -> read("http://127.0.0.1:15000/config_dump").contains("\"Available\""));
            read("http://127.0.0.1:15020/metrics");
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

    private static String read(String uri) {
        try (var body = URI.create(uri).toURL().openStream()) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            if (String.valueOf(e.getMessage()).contains("500")) {
                return "not ready";
            }
            throw new UncheckedIOException(e);
        }
    }
}
