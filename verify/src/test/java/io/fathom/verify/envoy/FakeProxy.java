// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.envoyproxy.envoy.service.discovery.v3.Resource;
import io.fathom.wire.xds.store.XdsType;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/// Asks as the Envoy of a waypoint or gateway does, accepts everything, and counts what it gets.
public final class FakeProxy implements StreamObserver<DeltaDiscoveryResponse> {
    private final Map<String, Boolean> clusters = new ConcurrentHashMap<>();
    private final Map<String, Boolean> endpoints = new ConcurrentHashMap<>();
    private final Map<String, Boolean> listeners = new ConcurrentHashMap<>();
    private final Map<String, Boolean> routes = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong responses = new AtomicLong();
    private final StreamObserver<DeltaDiscoveryRequest> requests;

    FakeProxy(ManagedChannel channel, String namespace, String gateway) {
        this(channel, "waypoint", namespace, gateway);
    }

    /// @param type `waypoint` or `router`
    public FakeProxy(ManagedChannel channel, String type, String namespace, String gateway) {
        requests = AggregatedDiscoveryServiceGrpc.newStub(channel).deltaAggregatedResources(this);
        var node = Node.newBuilder()
                .setId("%3$s~10.9.0.1~%1$s-1.%2$s~%2$s.svc.cluster.local".formatted(gateway, namespace, type));
        var labels = Struct.newBuilder().putFields("gateway.networking.k8s.io/gateway-name", text(gateway));
        node.getMetadataBuilder()
                .putFields("NAMESPACE", text(namespace))
                .putFields("LABELS", Value.newBuilder().setStructValue(labels).build());
        send(DeltaDiscoveryRequest.newBuilder().setNode(node), XdsType.CLUSTER);
    }

    private static Value text(String value) {
        return Value.newBuilder().setStringValue(value).build();
    }

    private synchronized void send(DeltaDiscoveryRequest.Builder request, XdsType type) {
        requests.onNext(request.setTypeUrl(type.url()).build());
    }

    /// The clusters that it has.
    Set<String> clusters() {
        return Set.copyOf(clusters.keySet());
    }

    long bytes() {
        return bytes.get();
    }

    long responses() {
        return responses.get();
    }

    /// Whether it has its listeners, and endpoints and routes for so many clusters.
    boolean isComplete(int wanted) {
        return !clusters.isEmpty()
                && endpoints.size() == wanted
                && listeners.size() == 3
                && routes.size() == wanted
                && !routes.containsValue(false);
    }

    /// Counts from zero.
    void reset() {
        bytes.set(0);
        responses.set(0);
    }

    @Override
    public void onNext(DeltaDiscoveryResponse response) {
        var type = new XdsType(response.getTypeUrl());
        var names = response.getResourcesList().stream().map(Resource::getName).toList();
        send(DeltaDiscoveryRequest.newBuilder().setResponseNonce(response.getNonce()), type);
        if (type.equals(XdsType.CLUSTER)) {
            response.getRemovedResourcesList().forEach(clusters::remove);
            var fresh = new ArrayList<>(names);
            fresh.removeIf(name -> clusters.put(name, true) != null || !name.contains("|"));
            send(DeltaDiscoveryRequest.newBuilder().addAllResourceNamesSubscribe(fresh), XdsType.ENDPOINTS);
            if (listeners.isEmpty()) {
                send(DeltaDiscoveryRequest.newBuilder(), XdsType.LISTENER);
            }
        } else if (type.equals(XdsType.ENDPOINTS)) {
            names.forEach(name -> endpoints.put(name, true));
        } else if (type.equals(XdsType.ROUTES)) {
            names.forEach(name -> routes.put(name, true));
        } else {
            names.forEach(name -> listeners.put(name, true));
            var fresh = response.getResourcesList().stream()
                    .flatMap(FakeProxy::tables)
                    .filter(name -> routes.putIfAbsent(name, false) == null)
                    .toList();
            if (!fresh.isEmpty()) {
                send(DeltaDiscoveryRequest.newBuilder().addAllResourceNamesSubscribe(fresh), XdsType.ROUTES);
            }
        }
        bytes.addAndGet(response.getSerializedSize());
        responses.incrementAndGet();
    }

    /// The route tables that a listener names.
    private static Stream<String> tables(Resource resource) {
        try {
            var result = Stream.<String>builder();
            for (var chain : resource.getResource().unpack(Listener.class).getFilterChainsList()) {
                for (var filter : chain.getFiltersList()) {
                    if (filter.getTypedConfig().is(HttpConnectionManager.class)) {
                        result.add(filter.getTypedConfig()
                                .unpack(HttpConnectionManager.class)
                                .getRds()
                                .getRouteConfigName());
                    }
                }
            }
            return result.build().filter(name -> !name.isEmpty());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("no listener", e);
        }
    }

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onCompleted() {}
}
