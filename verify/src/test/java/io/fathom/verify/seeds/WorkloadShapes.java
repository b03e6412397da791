// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.fathom.wire.proto.workload.Address;
import io.fathom.wire.proto.workload.Port;
import io.fathom.wire.proto.workload.TunnelProtocol;
import io.fathom.wire.proto.workload.WorkloadStatus;
import io.fathom.wire.proto.workload.WorkloadType;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.groups.Tuple;

/// The push that seed 000 prints: the same pod, and what a node proxy hears of it.
record WorkloadShapes(Path folder) {
    private static final String TYPE = "type.googleapis.com/istio.workload.Address";
    private static final String UID = "Kubernetes//Pod/default/httpbin-5d8d5f7c6b-abc12";

    private static final String MESH = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: istio-system, labels: {topology.istio.io/network: network1}}
            ---
            apiVersion: v1
            kind: Namespace
            metadata: {name: default, labels: {istio.io/dataplane-mode: ambient, istio.io/use-waypoint: waypoint}}
            ---
            apiVersion: v1
            kind: Pod
            metadata:
              name: httpbin-5d8d5f7c6b-abc12
              generateName: httpbin-5d8d5f7c6b-
              namespace: default
              labels: {app: httpbin, pod-template-hash: 5d8d5f7c6b}
              annotations: {ambient.istio.io/redirection: enabled}
              ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: httpbin-5d8d5f7c6b, controller: true, uid: r}]
            spec: {nodeName: node-1, serviceAccountName: httpbin, containers: [{name: main, image: none}]}
            status:
              phase: Running
              podIP: 10.0.1.66
              podIPs: [{ip: 10.0.1.66}]
              conditions: [{type: Ready, status: "True"}]
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: httpbin, namespace: default}
            spec:
              clusterIP: 10.96.0.42
              clusterIPs: [10.96.0.42]
              selector: {app: httpbin}
              ports: [{name: http, port: 8000, targetPort: 8080}]
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: waypoint, namespace: default, labels: {istio.io/waypoint-for: all}}
            spec:
              gatewayClassName: istio-waypoint
              listeners: [{name: mesh, port: 15008, protocol: HBONE}]
            status: {addresses: [{type: IPAddress, value: 10.0.2.100}]}
            """;

    void pushOfAPod() throws Exception {
        try (var mesh = SeedMesh.of(folder, MESH)) {
            var push = first(mesh);
            assertThat(push.getTypeUrl()).isEqualTo(TYPE);
            assertThat(push.getSystemVersionInfo()).isNotEmpty();
            assertThat(push.getNonce()).isNotEmpty();
            assertThat(push.getRemovedResourcesList()).isEmpty();
            var resource = push.getResourcesList().stream()
                    .filter(it -> it.getName().equals(UID))
                    .findFirst()
                    .orElseThrow();
            assertThat(resource.getVersion()).isNotEmpty();
            assertThat(resource.getResource().getTypeUrl()).isEqualTo(TYPE);
            var workload = Address.parseFrom(resource.getResource().getValue()).getWorkload();
            assertThat(workload.getUid()).isEqualTo(resource.getName());
            assertThat(workload.getName()).isEqualTo("httpbin-5d8d5f7c6b-abc12");
            assertThat(workload.getNamespace()).isEqualTo("default");
            assertThat(workload.getAddressesList())
                    .singleElement()
                    .satisfies(bytes -> assertThat(bytes.toByteArray()).containsExactly(10, 0, 1, 66));
            assertThat(workload.getNetwork()).isEqualTo("network1");
            assertThat(workload.getTunnelProtocol()).isEqualTo(TunnelProtocol.HBONE);
            assertThat(workload.getTrustDomain()).isIn("", "cluster.local"); // left out where it is the default
            assertThat(workload.getServiceAccount()).isEqualTo("httpbin");
            assertThat(workload.getNode()).isEqualTo("node-1");
            assertThat(workload.getCanonicalName()).isEqualTo("httpbin");
            assertThat(workload.getWorkloadType()).isEqualTo(WorkloadType.POD); // docs/seeds.md
            assertThat(workload.getWorkloadName()).isEqualTo("httpbin");
            assertThat(workload.getStatus()).isEqualTo(WorkloadStatus.HEALTHY);
            assertThat(workload.getClusterId()).isEqualTo("Kubernetes");
            assertThat(workload.getServicesMap()).containsOnlyKeys("default/httpbin.default.svc.cluster.local");
            assertThat(workload.getServicesMap().values())
                    .singleElement()
                    .satisfies(ports -> assertThat(ports.getPortsList())
                            .extracting(Port::getServicePort, Port::getTargetPort)
                            .containsExactly(Tuple.tuple(8000, 8080)));
            var waypoint = workload.getWaypoint();
            assertThat(waypoint.getAddress().getNetwork()).isEqualTo("network1");
            assertThat(waypoint.getAddress().getAddress().toByteArray()).containsExactly(10, 0, 2, 100);
            assertThat(waypoint.getHboneMtlsPort()).isEqualTo(15008);
        }
    }

    /// What a node proxy hears first when it asks for everything.
    private static DeltaDiscoveryResponse first(SeedMesh mesh) throws Exception {
        var answer = new CompletableFuture<DeltaDiscoveryResponse>();
        var requests = AggregatedDiscoveryServiceGrpc.newStub(mesh.channel())
                .deltaAggregatedResources(new StreamObserver<>() {
                    @Override
                    public void onNext(DeltaDiscoveryResponse response) {
                        answer.complete(response);
                    }

                    @Override
                    public void onError(Throwable cause) {
                        answer.completeExceptionally(cause);
                    }

                    @Override
                    public void onCompleted() {
                        answer.completeExceptionally(new IllegalStateException("ended"));
                    }
                });
        requests.onNext(DeltaDiscoveryRequest.newBuilder()
                .setNode(Node.newBuilder()
                        .setId("ztunnel~10.0.0.1~ztunnel-1.istio-system~istio-system.svc.cluster.local"))
                .setTypeUrl(TYPE)
                .addResourceNamesSubscribe("*")
                .build());
        return answer.get(30, TimeUnit.SECONDS);
    }
}
