// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.tree.Field;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// How agents reach the management server of a cluster, as its Service says. Blocks the caller.
record FleetService(KubeClient client, String namespace) {
    static final String NAME = "fathom-fleet";
    private static final Duration BALANCER = Duration.ofSeconds(30);
    private static final List<String> PREFERRED = List.of("ExternalIP", "InternalIP");

    /// `HOST:PORT`: of its load balancer, for which it waits a while, else of a node.
    Optional<String> address() {
        new Waiting()
                .until(BALANCER, () -> service().flatMap(FleetService::balanced).isPresent() || !isBalanced());
        return service().flatMap(service -> balanced(service).or(() -> onNode(service)));
    }

    private Optional<KubeObject> service() {
        return client.get(KubeResource.SERVICES, namespace, NAME);
    }

    private boolean isBalanced() {
        return service()
                .map(service -> service.root().at("spec").at("type").text())
                .filter(type -> type.equals("LoadBalancer"))
                .isPresent();
    }

    private static Optional<String> balanced(KubeObject service) {
        return service.root().at("status").at("loadBalancer").at("ingress").items().stream()
                .flatMap(ingress -> Stream.of(
                        ingress.at("ip").text(), ingress.at("hostname").text()))
                .filter(host -> !host.isEmpty())
                .findFirst()
                .flatMap(host -> port(service, "port").map(port -> place(host, port)));
    }

    private Optional<String> onNode(KubeObject service) {
        return port(service, "nodePort")
                .flatMap(port -> client.list(KubeQuery.all(KubeResource.NODES)).items().stream()
                        .flatMap(node -> host(node.root()).stream())
                        .findFirst()
                        .map(host -> place(host, port)));
    }

    private static Optional<String> host(Field node) {
        var addresses = node.at("status").at("addresses").items();
        return PREFERRED.stream()
                .flatMap(type -> addresses.stream()
                        .filter(address -> address.at("type").text().equals(type)))
                .map(address -> address.at("address").text())
                .findFirst();
    }

    private static Optional<Integer> port(KubeObject service, String field) {
        return service.root().at("spec").at("ports").items().stream()
                .flatMap(port -> port.at(field).integer(1, 65535).stream().boxed())
                .findFirst();
    }

    private static String place(String host, int port) {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
