package io.fathom.app.ztunnel;

import io.fathom.app.fathomd.Fathomd;
import io.fathom.app.fathomd.FathomdConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/// Does once what a node proxy does when it starts, against a control plane of its own, so that the JVM can keep what
/// it
/// learnt in an AOT cache. Run by `bin/lib/build` in a folder that it may fill. Its ports are the real ones: while
/// another node proxy runs in the same place it fails, and nothing is lost but time.
final class Rehearsal {
    private static final String POD = """
            apiVersion: v1
            kind: Pod
            metadata: {name: rehearsal, namespace: istio-system, annotations: {ambient.istio.io/redirection: enabled}}
            spec: {nodeName: here, serviceAccountName: ztunnel, containers: [{name: main, image: none}]}
            status: {phase: Running, podIP: 127.0.0.1}
            """;
    private static final long PATIENCE = 20_000_000_000L;
    private static final long PAUSE = 20_000_000L;

    private Rehearsal() {}

    public static void main(String[] args) throws IOException {
        var folder = Path.of(args[0]);
        var manifests = Files.createDirectories(folder.resolve("manifests"));
        Files.writeString(manifests.resolve("pod.yaml"), POD);
        var root = folder.resolve("root.pem");
        var flags = new String[] {
            "--manifests", manifests.toString(),
            "--listen-address", "127.0.0.1",
            "--plaintext-port", "0",
            "--tls-port", "0",
            "--http-port", "0",
            "--root-cert-file", root.toString(),
            "--tokens-dir", Files.createDirectories(folder.resolve("tokens")).toString()
        };
        var environment = Map.of("CA_TRUSTED_NODE_ACCOUNTS", "istio-system/ztunnel");
        try (var fathomd = Fathomd.start(FathomdConfig.parse(flags, environment))) {
            var token = folder.resolve("tokens/istio-system/rehearsal/istio-token");
            await(() -> Files.exists(token) && Files.exists(root));
            var address = "https://localhost:" + fathomd.tlsPort();
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
            var config = ZtunnelConfig.parse(settings, 2);
            try (var ztunnel = Ztunnel.start(config)) {
                await(() -> read("http://127.0.0.1:15021/healthz/ready").startsWith("ready"));
                List.of("http://127.0.0.1:15000/config_dump", "http://127.0.0.1:15020/metrics")
                        .forEach(Rehearsal::read);
                await(() -> read("http://127.0.0.1:15000/config_dump").contains("\"Available\""));
                ztunnel.drain();
            }
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
