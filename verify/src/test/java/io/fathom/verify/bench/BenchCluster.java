// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/// The manifests of one of several clusters in a folder: pods and global services, the services of the same names in
/// each cluster. The first pod of each service has a file of its own, so that it can change.
///
/// @param folder where they are
/// @param number counted from 1
/// @param gateway address at which the others find it
/// @param network that it is on
record BenchCluster(Path folder, int number, String network, String gateway, int pods, int services) {
    private static final int SERVICES_PER_NAMESPACE = 10;
    private static final int PODS_PER_NODE = 100;

    String id() {
        return "cluster-" + number;
    }

    /// What clients are told of a service, and of whatever is behind it.
    static String key(int service) {
        return namespace(service) + "/app-" + service + "." + namespace(service) + ".svc";
    }

    void write() throws IOException {
        Files.createDirectories(folder.resolve("live"));
        Files.writeString(folder.resolve("mesh.yaml"), """
                apiVersion: v1
                kind: Namespace
                metadata: {name: istio-system, labels: {topology.istio.io/network: %1$s}}
                ---
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: istio, namespace: istio-system}
                data:
                  mesh: |
                    serviceScopeConfigs:
                    - {servicesSelector: {matchLabels: {istio.io/global: "true"}}, scope: GLOBAL}
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata:
                  name: istio-eastwest
                  namespace: istio-system
                  labels: {topology.istio.io/network: %1$s}
                  annotations: {gateway.istio.io/service-account: istiod}
                spec:
                  gatewayClassName: istio-east-west
                  listeners: [{name: mesh, port: 15008, protocol: HBONE, tls: {mode: Terminate}}]
                status:
                  addresses: [{type: IPAddress, value: %2$s}]
                """.formatted(network, gateway));
        var nodes = new StringBuilder();
        for (var node = 0; node <= pods / PODS_PER_NODE; node++) {
            nodes.append("""
                    ---
                    apiVersion: v1
                    kind: Node
                    metadata:
                      name: node-%d
                      labels: {topology.kubernetes.io/region: region-%d, topology.kubernetes.io/zone: zone-%d}
                    """.formatted(node, number, node % 3));
        }
        Files.writeString(folder.resolve("nodes.yaml"), nodes);
        for (var first = 0; first < services; first += SERVICES_PER_NAMESPACE) {
            Files.writeString(folder.resolve(namespace(first) + ".yaml"), namespaceText(first));
        }
        for (var service = 0; service < services; service++) {
            ready(service, true);
        }
    }

    private String namespaceText(int first) {
        var text = new StringBuilder("""
                apiVersion: v1
                kind: Namespace
                metadata: {name: %s, labels: {istio.io/dataplane-mode: ambient}}
                """.formatted(namespace(first)));
        for (var service = first; service < Math.min(services, first + SERVICES_PER_NAMESPACE); service++) {
            text.append("""
                    ---
                    apiVersion: v1
                    kind: Service
                    metadata: {name: app-%1$d, namespace: %2$s, labels: {istio.io/global: "true"}}
                    spec: {clusterIP: %3$s, selector: {app: app-%1$d}, ports: [{name: http, port: 80, targetPort: 8080}]}
                    """.formatted(service, namespace(service), ip(96, service)));
            for (var pod = service + services; pod < pods; pod += services) {
                text.append("---\n").append(pod(pod, true));
            }
        }
        return text.toString();
    }

    /// One endpoint of the service becomes ready or is it no more: as an editor would, in one step.
    void ready(int service, boolean isReady) throws IOException {
        var draft = folder.resolve("live/.app-" + service);
        Files.writeString(draft, pod(service, isReady));
        Files.move(draft, folder.resolve("live/app-" + service + ".yaml"), StandardCopyOption.ATOMIC_MOVE);
    }

    String pod(int pod, boolean isReady) {
        var service = pod % services;
        return """
                apiVersion: v1
                kind: Pod
                metadata:
                  name: app-%1$d-5c7d8f9b-%2$05d
                  namespace: %3$s
                  labels: {app: app-%1$d, pod-template-hash: 5c7d8f9b, version: v1}
                  annotations: {ambient.istio.io/redirection: enabled}
                spec:
                  serviceAccountName: account-%1$d
                  nodeName: node-%4$d
                  containers: [{name: app, ports: [{name: http, containerPort: 8080}]}]
                status:
                  phase: Running
                  podIP: %5$s
                  podIPs: [{ip: %5$s}]
                  conditions: [{type: Ready, status: "%6$s"}]
                """.formatted(
                        service,
                        pod,
                        namespace(service),
                        pod / PODS_PER_NODE,
                        ip(128 + 8 * number, pod),
                        isReady ? "True" : "False");
    }

    /// What says that there is another cluster, and where.
    void link(BenchCluster other) throws IOException {
        link(other, 15012);
    }

    /// The same.
    ///
    /// @param discovery port at which its control plane is found there
    void link(BenchCluster other, int discovery) throws IOException {
        var draft = folder.resolve("." + other.id());
        Files.writeString(draft, """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata:
                  name: istio-remote-peer-%1$s
                  namespace: istio-system
                  labels: {topology.istio.io/cluster: %1$s, topology.istio.io/network: %2$s}
                  annotations: {gateway.istio.io/service-account: istiod}
                spec:
                  gatewayClassName: istio-remote
                  addresses: [{type: IPAddress, value: %3$s}]
                  listeners:
                  - {name: cross-network, port: 15008, protocol: HBONE, tls: {mode: Passthrough}}
                  - {name: xds-tls, port: %4$d, protocol: TLS, tls: {mode: Passthrough}}
                """.formatted(other.id(), other.network, other.gateway, discovery));
        Files.move(draft, folder.resolve("peer-" + other.id() + ".yaml"), StandardCopyOption.ATOMIC_MOVE);
    }

    /// Nothing says so any more.
    void unlink(BenchCluster other) throws IOException {
        Files.deleteIfExists(folder.resolve("peer-" + other.id() + ".yaml"));
    }

    private static String namespace(int service) {
        return "ns-" + service / SERVICES_PER_NAMESPACE;
    }

    private static String ip(int range, int number) {
        return "10.%d.%d.%d".formatted(range + number / 62_500, number / 250 % 250, number % 250 + 1);
    }
}
