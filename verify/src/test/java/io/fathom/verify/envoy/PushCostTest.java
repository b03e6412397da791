package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.envoyproxy.envoy.service.discovery.v3.Resource;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.wire.xds.XdsType;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a change costs: 2,000 services behind 50 waypoints, each with its proxy connected.
@Tag("slow")
class PushCostTest {
    private static final int WAYPOINTS = 50;
    private static final int SERVICES = 40;
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @TempDir
    Path folder;

    @Test
    void givenManyWaypoints_whenOneEndpointChanges_thenOneProxyGetsOneSmallResponse() throws Exception {
        for (int i = 0; i < WAYPOINTS; i++) {
            Files.writeString(folder.resolve("ns-" + i + ".yaml"), namespace(i));
        }
        pod(7, 3, true);
        try (var fathomd = RunningFathomd.on(folder, Map.of())) {
            var channel = NettyChannelBuilder.forAddress("127.0.0.1", fathomd.plaintextPort())
                    .usePlaintext()
                    .maxInboundMessageSize(64 << 20)
                    .build();
            var proxies = IntStream.range(0, WAYPOINTS)
                    .mapToObj(i -> new Proxy(channel, i))
                    .toList();
            try {
                Awaitility.await().atMost(PATIENCE).until(() -> proxies.stream().allMatch(Proxy::isComplete));
                assertThat(proxies)
                        .allSatisfy(proxy -> assertThat(proxy.clusters.size()).isEqualTo(SERVICES + 4));
                settle(proxies);
                var start = sum(proxies);

                // Another pod of one service.
                pod(7, 3, false);
                Awaitility.await()
                        .atMost(PATIENCE)
                        .until(() -> proxies.get(7).responses.get() > 0);
                settle(proxies);
                assertThat(touched(proxies)).containsExactly(7);
                assertThat(proxies.get(7).responses.get()).isEqualTo(1);
                var endpoint = proxies.get(7).bytes.get();
                assertThat(endpoint).isLessThan(2_000);

                // Another header for one service: the listener of its waypoint, and of no other.
                proxies.forEach(Proxy::reset);
                Files.writeString(folder.resolve("route.yaml"), route());
                Awaitility.await()
                        .atMost(PATIENCE)
                        .until(() -> proxies.get(9).responses.get() > 0);
                settle(proxies);
                assertThat(touched(proxies)).containsExactly(9);
                System.out.printf(
                        "first configuration of all %,d bytes; one endpoint %,d bytes to 1 of %d proxies; "
                                + "one route %,d bytes to 1%n",
                        start, endpoint, WAYPOINTS, proxies.get(9).bytes.get());
            } finally {
                channel.shutdownNow();
            }
        }
    }

    private static long sum(List<Proxy> proxies) {
        var result = proxies.stream().mapToLong(proxy -> proxy.bytes.get()).sum();
        proxies.forEach(Proxy::reset);
        return result;
    }

    private static List<Integer> touched(List<Proxy> proxies) {
        return IntStream.range(0, proxies.size())
                .filter(i -> proxies.get(i).responses.get() > 0)
                .boxed()
                .toList();
    }

    /// Until nothing has come for a while.
    private static void settle(List<Proxy> proxies) {
        var last = new AtomicLong(-1);
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(700)).until(() -> {
            var now = proxies.stream().mapToLong(proxy -> proxy.bytes.get()).sum();
            return last.getAndSet(now) == now;
        });
    }

    private static String namespace(int number) {
        var text = new StringBuilder("""
                apiVersion: v1
                kind: Namespace
                metadata: {name: ns-%1$d, labels: {istio.io/dataplane-mode: ambient, istio.io/use-waypoint: waypoint}}
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: waypoint, namespace: ns-%1$d}
                spec: {gatewayClassName: istio-waypoint, listeners: [{name: mesh, port: 15008, protocol: HBONE}]}
                status: {addresses: [{type: Hostname, value: waypoint.ns-%1$d.svc.cluster.local}]}
                """.formatted(number));
        for (int i = 0; i < SERVICES; i++) {
            text.append("""
                    ---
                    apiVersion: v1
                    kind: Service
                    metadata: {name: s%2$d, namespace: ns-%1$d}
                    spec: {clusterIP: 10.1.%1$d.%3$d, selector: {app: s%2$d}, ports: [{name: http, port: 80}]}
                    ---
                    apiVersion: v1
                    kind: Pod
                    metadata: {name: s%2$d-pod, namespace: ns-%1$d, labels: {app: s%2$d}}
                    spec: {nodeName: node, serviceAccountName: server, containers: [{name: main, image: none}]}
                    status: {phase: Running, podIP: 10.2.%1$d.%3$d, conditions: [{type: Ready, status: "True"}]}
                    """.formatted(number, i, i + 1));
        }
        return text.toString();
    }

    private void pod(int namespace, int service, boolean ready) throws IOException {
        Files.writeString(
                folder.resolve("another-pod.yaml"), """
                apiVersion: v1
                kind: Pod
                metadata: {name: another, namespace: ns-%1$d, labels: {app: s%2$d}}
                spec: {nodeName: node, serviceAccountName: server, containers: [{name: main, image: none}]}
                status: {phase: Running, podIP: 10.3.0.1, conditions: [{type: Ready, status: "%3$s"}]}
                """.formatted(namespace, service, ready ? "True" : "False"));
    }

    private static String route() {
        return """
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: one, namespace: ns-9}
                spec:
                  parentRefs: [{group: "", kind: Service, name: s5, port: 80}]
                  rules:
                  - filters: [{type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: x-a, value: b}]}}]
                    backendRefs: [{name: s5, port: 80}]
                """;
    }

    /// Asks as an Envoy does, and counts what it gets.
    private static final class Proxy implements StreamObserver<DeltaDiscoveryResponse> {
        private final Map<String, Boolean> clusters = new ConcurrentHashMap<>();
        private final Map<String, Boolean> endpoints = new ConcurrentHashMap<>();
        private final Map<String, Boolean> listeners = new ConcurrentHashMap<>();
        private final AtomicLong bytes = new AtomicLong();
        private final AtomicLong responses = new AtomicLong();
        private final StreamObserver<DeltaDiscoveryRequest> requests;

        Proxy(ManagedChannel channel, int number) {
            requests = AggregatedDiscoveryServiceGrpc.newStub(channel).deltaAggregatedResources(this);
            var node = Node.newBuilder()
                    .setId("waypoint~10.9.0.%1$d~waypoint-1.ns-%1$d~ns-%1$d.svc.cluster.local".formatted(number));
            node.getMetadataBuilder().putFields("NAMESPACE", text("ns-" + number));
            node.getMetadataBuilder()
                    .putFields(
                            "LABELS",
                            Value.newBuilder()
                                    .setStructValue(Struct.newBuilder()
                                            .putFields("gateway.networking.k8s.io/gateway-name", text("waypoint")))
                                    .build());
            send(DeltaDiscoveryRequest.newBuilder().setNode(node), XdsType.CLUSTER);
        }

        private static Value text(String value) {
            return Value.newBuilder().setStringValue(value).build();
        }

        private synchronized void send(DeltaDiscoveryRequest.Builder request, XdsType type) {
            requests.onNext(request.setTypeUrl(type.url()).build());
        }

        boolean isComplete() {
            return !clusters.isEmpty() && endpoints.size() == SERVICES && listeners.size() == 3;
        }

        void reset() {
            bytes.set(0);
            responses.set(0);
        }

        @Override
        public void onNext(DeltaDiscoveryResponse response) {
            var type = new XdsType(response.getTypeUrl());
            var names =
                    response.getResourcesList().stream().map(Resource::getName).toList();
            send(DeltaDiscoveryRequest.newBuilder().setResponseNonce(response.getNonce()), type);
            if (type.equals(XdsType.CLUSTER)) {
                var fresh = new ArrayList<>(names);
                fresh.removeIf(name -> clusters.put(name, true) != null || !name.contains("|"));
                send(DeltaDiscoveryRequest.newBuilder().addAllResourceNamesSubscribe(fresh), XdsType.ENDPOINTS);
            } else if (type.equals(XdsType.ENDPOINTS)) {
                names.forEach(name -> endpoints.put(name, true));
                if (listeners.isEmpty()) {
                    send(DeltaDiscoveryRequest.newBuilder(), XdsType.LISTENER);
                }
            } else {
                names.forEach(name -> listeners.put(name, true));
            }
            bytes.addAndGet(response.getSerializedSize());
            responses.incrementAndGet();
        }

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {}
    }
}
