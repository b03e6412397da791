// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One wildcard delta stream for both types, as ztunnel opens it: keeps what the server said and acknowledges it.
///
/// Besides the resources it keeps the names pushed since somebody last asked, and every moment at which a workload
/// named a policy that the server had not sent. Safe for use by several threads.
public final class DeltaClient implements AutoCloseable {
    private static final Node NODE = Node.newBuilder()
            .setId("ztunnel~10.0.0.1~ztunnel-verify.istio-system~istio-system.svc.cluster.local")
            .build();
    private static final int LARGEST_MESSAGE = 200 << 20;

    private final ManagedChannel channel;
    private final StreamObserver<DeltaDiscoveryRequest> requests;
    private final Map<ResourceType, TreeMap<String, JsonNode>> resources = new EnumMap<>(ResourceType.class);
    private final Map<ResourceType, TreeSet<String>> updated = new EnumMap<>(ResourceType.class);
    private final Map<ResourceType, TreeSet<String>> removed = new EnumMap<>(ResourceType.class);
    private final Set<ResourceType> answered = EnumSet.noneOf(ResourceType.class);
    private final List<String> danglingPolicies = new ArrayList<>();
    private @Nullable Throwable failure;

    private DeltaClient(ManagedChannel channel) {
        this.channel = channel;
        for (var type : ResourceType.values()) {
            resources.put(type, new TreeMap<>());
            updated.put(type, new TreeSet<>());
            removed.put(type, new TreeSet<>());
        }
        this.requests = AggregatedDiscoveryServiceGrpc.newStub(channel).deltaAggregatedResources(new Responses());
    }

    /// Subscribes to everything on a plaintext port of this machine.
    public static DeltaClient connect(int port) {
        var channel = NettyChannelBuilder.forAddress("127.0.0.1", port)
                .usePlaintext()
                .maxInboundMessageSize(LARGEST_MESSAGE)
                .build();
        var client = new DeltaClient(channel);
        for (var type : ResourceType.values()) {
            client.send(DeltaDiscoveryRequest.newBuilder()
                    .setNode(NODE)
                    .setTypeUrl(type.url())
                    .addResourceNamesSubscribe("*")
                    .build());
        }
        return client;
    }

    /// Whether both types were answered; a stream that ended throws.
    public synchronized boolean answered() {
        if (failure != null) {
            throw new IllegalStateException("the server ended the stream", failure);
        }
        return answered.size() == ResourceType.values().length;
    }

    /// What the server said up to now.
    public synchronized Answer answer() {
        return new Answer(of(resources, ResourceType.ADDRESS), of(resources, ResourceType.AUTHORIZATION));
    }

    /// The names pushed since the last call.
    public synchronized Pushes takePushes(ResourceType type) {
        var taken = new Pushes(of(updated, type), of(removed, type));
        of(updated, type).clear();
        of(removed, type).clear();
        return taken;
    }

    /// One line for each time that a workload named a policy not sent before it, once both types were answered.
    public synchronized List<String> danglingPolicies() {
        return List.copyOf(danglingPolicies);
    }

    @Override
    public void close() {
        channel.shutdownNow();
        try {
            channel.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Requests must not overlap, and both the creating thread and gRPC's send them.
    private void send(DeltaDiscoveryRequest request) {
        synchronized (requests) {
            requests.onNext(request);
        }
    }

    private synchronized void apply(DeltaDiscoveryResponse response) {
        var type = ResourceType.of(response.getTypeUrl());
        var current = of(resources, type);
        for (var resource : response.getResourcesList()) {
            current.put(resource.getName(), ResourceJson.decode(resource.getResource()));
            of(updated, type).add(resource.getName());
        }
        for (var name : response.getRemovedResourcesList()) {
            current.remove(name);
            of(removed, type).add(name);
        }
        if (answered.size() == ResourceType.values().length) {
            checkPolicies(response);
        }
        answered.add(type);
    }

    private void checkPolicies(DeltaDiscoveryResponse response) {
        var known = of(resources, ResourceType.AUTHORIZATION).keySet();
        of(resources, ResourceType.ADDRESS).forEach((name, address) -> {
            for (var policy : address.path("workload").path("authorizationPolicies")) {
                if (!known.contains(policy.textValue())) {
                    danglingPolicies.add("%s names %s, unknown after a response of type %s"
                            .formatted(name, policy.textValue(), response.getTypeUrl()));
                }
            }
        });
    }

    private synchronized void fail(Throwable cause) {
        failure = cause;
    }

    private static <V> V of(Map<ResourceType, V> map, ResourceType type) {
        var value = map.get(type);
        if (value == null) {
            throw new IllegalStateException("no entry for " + type);
        }
        return value;
    }

    private final class Responses implements StreamObserver<DeltaDiscoveryResponse> {
        @Override
        public void onNext(DeltaDiscoveryResponse response) {
            apply(response);
            send(DeltaDiscoveryRequest.newBuilder()
                    .setTypeUrl(response.getTypeUrl())
                    .setResponseNonce(response.getNonce())
                    .build());
        }

        @Override
        public void onError(Throwable cause) {
            fail(cause);
        }

        @Override
        public void onCompleted() {
            fail(new IllegalStateException("completed by the server"));
        }
    }
}
