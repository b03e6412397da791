// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.verify.peers.Workspace;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The stock node proxy, configured by us over TLS, holds every workload, service and policy that our own client sees.
@Tag("interop")
class ZtunnelIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final URI DUMP = URI.create("http://127.0.0.1:15000/config_dump");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temporary;

    @Test
    void givenStockZtunnel_whenConnected_thenItHoldsAllResources() throws IOException {
        var program = System.getenv("ZTUNNEL_BIN");
        assumeTrue(program != null, "skipped: ZTUNNEL_BIN does not name a stock ztunnel (it is in no registry)");
        assertThat(Path.of(program)).isExecutable();
        try (var workspace = new Workspace();
                var mesh = new SampleMesh(folder(), LocalNodeProxy.environment(temporary.resolve("tokens")));
                var http = HttpClient.newHttpClient()) {
            var root = Files.writeString(
                    workspace.directory().resolve("root-cert.pem"),
                    mesh.fathomd().text("/debug/root-cert"));
            workspace.start(
                    "ztunnel",
                    List.of(program),
                    environment(mesh.fathomd().tlsPort(), root, LocalNodeProxy.token(temporary.resolve("tokens"))));

            Awaitility.await("ztunnel's configuration")
                    .atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> expectAll(mesh, dump(http)));
        }
    }

    private Path folder() throws IOException {
        var folder = Files.createDirectory(temporary.resolve("mesh"));
        LocalNodeProxy.writePod(folder);
        return folder;
    }

    private static Map<String, String> environment(int port, Path root, Path token) {
        return Map.of(
                "XDS_ADDRESS",
                "https://localhost:" + port,
                "XDS_ROOT_CA",
                root.toString(),
                "CA_ADDRESS",
                "https://localhost:" + port,
                "CA_ROOT_CA",
                root.toString(),
                "AUTH_TOKEN",
                token.toString(),
                "PROXY_MODE",
                "dedicated",
                "PROXY_WORKLOAD_INFO",
                "istio-system/ztunnel/ztunnel",
                "ISTIO_META_DNS_CAPTURE",
                "false",
                "POD_NAME",
                LocalNodeProxy.POD,
                "POD_NAMESPACE",
                "istio-system");
    }

    private static void expectAll(SampleMesh mesh, JsonNode dump) {
        var held = new TreeSet<String>();
        dump.path("workloads").forEach(workload -> held.add(workload.path("uid").asText()));
        dump.path("services")
                .forEach(service -> held.add(service.path("namespace").asText() + "/"
                        + service.path("hostname").asText()));
        var policies = new TreeSet<String>();
        dump.path("policies")
                .forEach(policy -> policies.add(policy.path("namespace").asText() + "/"
                        + policy.path("name").asText()));
        assertThat(held).isEqualTo(mesh.answer().addresses().keySet());
        assertThat(policies).isEqualTo(mesh.answer().authorizations().keySet());
    }

    private static JsonNode dump(HttpClient http) throws IOException, InterruptedException {
        var response = http.send(HttpRequest.newBuilder(DUMP).build(), HttpResponse.BodyHandlers.ofString());
        return JSON.readTree(response.body());
    }
}
