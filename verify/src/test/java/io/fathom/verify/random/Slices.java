// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.random;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.peers.KubeKind;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/// Hand-written EndpointSlices for services that exist, with endpoints of their own and endpoints that are pods.
///
/// The uid of a pod is only known to the API server: [RandomCluster#UID_OF_POD] stands for it.
final class Slices implements Family {
    private final Dice dice;
    private final Supplier<Collection<ObjectNode>> objects;

    Slices(Dice dice, Supplier<Collection<ObjectNode>> objects) {
        this.dice = dice;
        this.objects = objects;
    }

    @Override
    public ObjectNode create(int number) {
        var services = ofKind("Service");
        var service = services.isEmpty() ? Draft.of(KubeKind.SERVICE, "app", "gone", "a") : dice.pick(services);
        var namespace = Draft.namespace(service);
        var slice = Draft.of(KubeKind.ENDPOINT_SLICE, namespace, "slice-" + number, "a");
        if (dice.chance(95)) {
            Draft.labels(slice)
                    .put(
                            "kubernetes.io/service-name",
                            service.at("/metadata/name").asText());
        }
        slice.put("addressType", "IPv4");
        var ports = slice.putArray("ports");
        for (var port : service.at("/spec/ports")) {
            if (dice.chance(85)) {
                ports.addObject()
                        .put("name", port.path("name").asText())
                        .put("port", dice.between(7000, 7100))
                        .put("protocol", port.path("protocol").asText());
            }
        }
        endpoints(slice, number);
        return slice;
    }

    @Override
    public void change(ObjectNode slice) {
        endpoints(slice, Integer.parseInt(slice.at("/metadata/name").asText().replaceAll("\\D", "")));
    }

    private void endpoints(ObjectNode slice, int number) {
        var endpoints = slice.putArray("endpoints");
        for (var i = 0; i < dice.between(1, 3); i++) {
            var endpoint = endpoints.addObject();
            endpoint.putArray("addresses").add("172.20.%d.%d".formatted(number, i + 1));
            if (dice.chance(70)) {
                endpoint.putObject("conditions").put("ready", dice.chance(70));
            }
            var pods = ofKind("Pod").stream()
                    .filter(pod -> Draft.namespace(pod).equals(Draft.namespace(slice)))
                    .toList();
            if (!pods.isEmpty() && dice.chance(40)) {
                endpoint.putObject("targetRef")
                        .put("kind", "Pod")
                        .put("namespace", Draft.namespace(slice))
                        .put("name", dice.pick(pods).at("/metadata/name").asText())
                        .put("uid", RandomCluster.UID_OF_POD);
            }
        }
    }

    private List<ObjectNode> ofKind(String kind) {
        return objects.get().stream()
                .filter(object -> object.path("kind").asText().equals(kind))
                .filter(object -> !object.at("/spec/type").asText().equals("ExternalName"))
                .toList();
    }
}
