// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.seeds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.fathom.verify.client.DeltaClient;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.envoy.FakeProxy;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;

/// A control plane that serves manifests from a folder, and what its clients get. Closing ends both.
final class SeedMesh implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final RunningFathomd fathomd;
    private final ManagedChannel channel;

    private SeedMesh(RunningFathomd fathomd) {
        this.fathomd = fathomd;
        this.channel = NettyChannelBuilder.forAddress("127.0.0.1", fathomd.plaintextPort())
                .usePlaintext()
                .build();
    }

    static SeedMesh of(Path folder, String... manifests) {
        try {
            Files.writeString(folder.resolve("mesh.yaml"), String.join("\n---\n", manifests));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new SeedMesh(RunningFathomd.on(folder, Map.of()));
    }

    ManagedChannel channel() {
        return channel;
    }

    /// All that is wrong or does not work, except for Gateways that wait for their pods: nobody starts any here.
    List<JsonNode> problems() {
        return StreamSupport.stream(fathomd.json("/debug/problemz").spliterator(), false)
                .filter(problem -> !problem.path("code").asText().equals("pending"))
                .toList();
    }

    /// What is written into the status of an object, `Kind/namespace/name`.
    JsonNode status(String object) {
        return fathomd.statuses().path(object);
    }

    /// An address or policy of the Workload API by its name.
    JsonNode resource(String name) {
        try (var client = DeltaClient.connect(fathomd.plaintextPort())) {
            Awaitility.await().atMost(PATIENCE).until(client::answered);
            var answer = client.answer();
            return answer.addresses()
                    .getOrDefault(name, answer.authorizations().getOrDefault(name, MissingNode.getInstance()));
        }
    }

    /// What the Envoy of a Gateway is served, in the form of its own dump.
    ///
    /// @param type `waypoint` or `router`
    JsonNode dump(String type, String namespace, String gateway) {
        var _ = new FakeProxy(channel, type, namespace, gateway);
        var page = "/debug/config_dump?include_eds&proxyID=" + gateway + "-1." + namespace;
        return Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> fathomd.json(page), dump -> dump.at("/configs/0").isObject());
    }

    @Override
    public void close() {
        channel.shutdownNow();
        fathomd.close();
    }
}
