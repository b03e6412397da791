// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.fathom.verify.client.Answer;
import io.fathom.verify.client.ResourceJson;
import io.fathom.verify.client.ResourceType;
import io.fathom.verify.peers.StockProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// grpcurl, which knows nothing of us but the published protocol files, on the delta stream.
@Tag("interop")
class GrpcurlIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String METHOD =
            "envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temporary;

    @Test
    @Timeout(60)
    void givenSampleMesh_whenGrpcurlSubscribesToBothTypes_thenItSeesWhatOurClientSees() throws Exception {
        var grpcurl = StockProgram.GRPCURL.require();
        var protos = Files.createDirectory(temporary.resolve("protos"));
        writeProtocolFiles(protos);
        try (var mesh = new SampleMesh(Files.createDirectory(temporary.resolve("mesh")))) {
            var answer = ask(grpcurl, protos, mesh.fathomd().plaintextPort());

            assertThat(mesh.answer().differencesTo(answer)).isEmpty();
        }
    }

    private static Answer ask(Path grpcurl, Path protos, int port) throws IOException {
        var process = new ProcessBuilder(
                        grpcurl.toString(),
                        "-plaintext",
                        "-import-path",
                        protos.toString(),
                        "-proto",
                        "envoy/service/discovery/v3/ads.proto",
                        "-proto",
                        "workload.proto",
                        "-proto",
                        "authorization.proto",
                        "-max-msg-sz",
                        "200000000",
                        "-d",
                        "@",
                        "127.0.0.1:" + port,
                        METHOD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        // Ends it should it say nothing; a blocked read cannot be interrupted.
        CompletableFuture.delayedExecutor(40, TimeUnit.SECONDS).execute(process::destroy);
        try (var requests = process.outputWriter()) {
            for (var type : ResourceType.values()) {
                requests.write(request(type));
            }
            requests.flush();
            var responses = JSON.readerFor(JsonNode.class).<JsonNode>readValues(process.getInputStream());
            var resources = new EnumMap<ResourceType, SortedMap<String, JsonNode>>(ResourceType.class);
            while (resources.size() < ResourceType.values().length) {
                var response = responses.next();
                resources.put(typeOf(response), resources(response));
            }
            return new Answer(
                    resources.getOrDefault(ResourceType.ADDRESS, new TreeMap<>()),
                    resources.getOrDefault(ResourceType.AUTHORIZATION, new TreeMap<>()));
        } finally {
            process.destroy();
            assertThat(process.onExit().orTimeout(10, TimeUnit.SECONDS)).succeedsWithin(Duration.ofSeconds(11));
        }
    }

    private static String request(ResourceType type) {
        var request = JSON.createObjectNode().put("typeUrl", type.url());
        request.putObject("node").put("id", "ztunnel~10.0.0.1~grpcurl.istio-system~istio-system.svc.cluster.local");
        request.putArray("resourceNamesSubscribe").add("*");
        return request + "\n";
    }

    private static ResourceType typeOf(JsonNode response) {
        return List.of(ResourceType.values()).stream()
                .filter(type -> type.url().equals(response.path("typeUrl").asText()))
                .findFirst()
                .orElseThrow();
    }

    private static SortedMap<String, JsonNode> resources(JsonNode response) {
        var result = new TreeMap<String, JsonNode>();
        for (var each : response.path("resources")) {
            var resource = (ObjectNode) each.path("resource");
            assertThat(resource.has("@error")).as("unreadable: %s", resource).isFalse();
            resource.remove("@type");
            result.put(each.path("name").asText(), ResourceJson.ofProtobufJson(resource));
        }
        return result;
    }

    /// Envoy's files come with its library, ours with our own module.
    private static void writeProtocolFiles(Path folder) throws Exception {
        var library = Path.of(DeltaDiscoveryRequest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (var jar = new JarFile(library.toFile())) {
            var entries = new ArrayList<>(jar.stream()
                    .filter(entry -> entry.getName().endsWith(".proto"))
                    .toList());
            for (var entry : entries) {
                try (var content = jar.getInputStream(entry)) {
                    write(folder.resolve(entry.getName()), content.readAllBytes());
                }
            }
        }
        for (var file : List.of("workload.proto", "authorization.proto")) {
            try (var content = GrpcurlIT.class.getResourceAsStream("/" + file)) {
                assertThat(content).as("%s on the class path", file).isNotNull();
                write(folder.resolve(file), Objects.requireNonNull(content).readAllBytes());
            }
        }
    }

    private static void write(Path file, byte[] content) throws IOException {
        Files.createDirectories(file.getParent());
        Files.write(file, content);
    }
}
