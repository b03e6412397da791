// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.replicas;

import com.google.protobuf.ByteString;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.fathom.verify.client.ResourceType;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A client that comes back whenever its stream ends, and then says what it has, as node proxies do. Keeps what every
/// response brought. Safe for use by several threads.
final class VersionedClient implements AutoCloseable {
    private static final Executor LATER = CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS);

    /// A resource as it came.
    record Held(String version, ByteString body) {}

    /// What one response held.
    record Delivery(ResourceType type, List<String> names, List<String> removed) {}

    private final int port;
    private final Map<ResourceType, Map<String, Held>> held = new EnumMap<>(ResourceType.class);
    private final List<Delivery> deliveries = new ArrayList<>();
    private final List<Status> ends = new ArrayList<>();
    private int streams;
    private @Nullable ManagedChannel channel;
    private boolean closed;

    private VersionedClient(int port) {
        this.port = port;
        for (var type : ResourceType.values()) {
            held.put(type, new TreeMap<>());
        }
    }

    static VersionedClient connect(int port) {
        return connect(port, Map.of());
    }

    /// As somebody who has been elsewhere before.
    static VersionedClient connect(int port, Map<ResourceType, Map<String, Held>> known) {
        var client = new VersionedClient(port);
        synchronized (client) {
            known.forEach((type, resources) -> client.of(type).putAll(resources));
            client.open();
        }
        return client;
    }

    /// What it has of the workloads and services.
    Map<String, Held> addresses() {
        return copy(ResourceType.ADDRESS);
    }

    Map<String, Held> policies() {
        return copy(ResourceType.AUTHORIZATION);
    }

    private synchronized Map<String, Held> copy(ResourceType type) {
        return new TreeMap<>(of(type));
    }

    private Map<String, Held> of(ResourceType type) {
        var resources = held.get(type);
        if (resources == null) {
            throw new IllegalStateException("made in the constructor");
        }
        return resources;
    }

    private synchronized void reopen() {
        if (!closed) {
            open();
        }
    }

    private void open() {
        streams++;
        var opened = NettyChannelBuilder.forAddress("127.0.0.1", port)
                .usePlaintext()
                .maxInboundMessageSize(200 << 20)
                .build();
        channel = opened;
        var responses = new Responses();
        var requests = AggregatedDiscoveryServiceGrpc.newStub(opened).deltaAggregatedResources(responses);
        responses.requests = requests;
        for (var type : ResourceType.values()) {
            var request = DeltaDiscoveryRequest.newBuilder()
                    .setNode(Node.newBuilder()
                            .setId("ztunnel~10.0.0.1~ztunnel-replicas.istio-system~istio-system.svc.cluster.local"))
                    .setTypeUrl(type.url())
                    .addResourceNamesSubscribe("*");
            of(type).forEach((name, resource) -> request.putInitialResourceVersions(name, resource.version()));
            requests.onNext(request.build());
        }
    }

    synchronized Map<ResourceType, Map<String, Held>> held() {
        var copy = new EnumMap<ResourceType, Map<String, Held>>(ResourceType.class);
        held.forEach((type, resources) -> copy.put(type, new TreeMap<>(resources)));
        return copy;
    }

    /// What came since the last call, in order.
    synchronized List<Delivery> take() {
        var taken = List.copyOf(deliveries);
        deliveries.clear();
        return taken;
    }

    /// Whether both types have been answered on each stream so far.
    synchronized boolean isAnswered() {
        return deliveries.stream().map(Delivery::type).distinct().count() == ResourceType.values().length;
    }

    synchronized int streams() {
        return streams;
    }

    /// How the streams ended.
    synchronized List<Status> ends() {
        return List.copyOf(ends);
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (channel != null) {
            channel.shutdownNow();
        }
    }

    private final class Responses implements StreamObserver<DeltaDiscoveryResponse> {
        private @Nullable StreamObserver<DeltaDiscoveryRequest> requests;

        @Override
        public void onNext(DeltaDiscoveryResponse response) {
            synchronized (VersionedClient.this) {
                var type = ResourceType.ADDRESS.url().equals(response.getTypeUrl())
                        ? ResourceType.ADDRESS
                        : ResourceType.AUTHORIZATION;
                var names = new ArrayList<String>();
                response.getResourcesList().forEach(resource -> {
                    names.add(resource.getName());
                    of(type).put(
                                    resource.getName(),
                                    new Held(
                                            resource.getVersion(),
                                            resource.getResource().getValue()));
                });
                response.getRemovedResourcesList().forEach(of(type)::remove);
                deliveries.add(new Delivery(type, names, List.copyOf(response.getRemovedResourcesList())));
                if (requests != null) {
                    requests.onNext(DeltaDiscoveryRequest.newBuilder()
                            .setTypeUrl(response.getTypeUrl())
                            .setResponseNonce(response.getNonce())
                            .build());
                }
            }
        }

        @Override
        public void onError(Throwable cause) {
            again(Status.fromThrowable(cause));
        }

        @Override
        public void onCompleted() {
            again(Status.OK);
        }

        private void again(Status status) {
            synchronized (VersionedClient.this) {
                if (closed) {
                    return;
                }
                ends.add(status);
                if (channel != null) {
                    channel.shutdownNow();
                }
                LATER.execute(VersionedClient.this::reopen);
            }
        }
    }
}
