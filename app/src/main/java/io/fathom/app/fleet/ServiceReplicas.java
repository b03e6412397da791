// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fleet;

import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.ObjectWatch.Change;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/// The pods behind a Service, as its EndpointSlices have them: also those that are not ready, so that a control plane
/// that starts is told before anybody asks it. One address of each pod: two would be two agents to it.
record ServiceReplicas(KubeClient client, String namespace, String service) implements ControlPlaneLink.ReplicaSource {
    private static final String SERVICE_NAME = "kubernetes.io/service-name";
    private static final Set<String> FAMILIES = Set.of("IPv4", "IPv6");

    @Override
    public AutoCloseable open(Consumer<Set<String>> sink) {
        var slices = new TreeMap<String, KubeObject>(); // changes come one list at a time
        var query = KubeQuery.all(KubeResource.ENDPOINT_SLICES)
                .inNamespace(namespace)
                .withLabels(SERVICE_NAME + "=" + service);
        return client.watch(query, changes -> {
            for (var change : changes) {
                switch (change) {
                    case Change.Put put -> slices.put(put.object().name(), put.object());
                    case Change.Remove gone -> slices.remove(gone.name());
                }
            }
            sink.accept(addresses(List.copyOf(slices.values())));
        });
    }

    static Set<String> addresses(List<KubeObject> slices) {
        var ofPods = new TreeMap<String, String>();
        var others = new HashSet<String>();
        slices.stream()
                .map(KubeObject::root)
                .filter(slice -> FAMILIES.contains(slice.at("addressType").text()))
                .sorted(Comparator.comparing(slice -> slice.at("addressType").text())) // IPv4 first
                .flatMap(slice -> slice.at("endpoints").items().stream())
                .forEach(endpoint -> {
                    var pod = endpoint.at("targetRef").at("uid").text();
                    var addresses = endpoint.at("addresses").texts();
                    if (pod.isEmpty()) {
                        others.addAll(addresses);
                    } else if (!addresses.isEmpty()) {
                        ofPods.putIfAbsent(pod, addresses.getFirst());
                    }
                });
        others.addAll(ofPods.values());
        return Set.copyOf(others);
    }
}
