// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.random;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.peers.KubeKind;
import java.util.List;

/// Two waypoints in each namespace and a gateway to each of two other networks. They come, go and change, but under
/// fixed names: upstream's choice between two gateways of the same age is a matter of luck.
final class Gateways implements Family {
    private static final List<String> NETWORKS = List.of("net-2", "net-3");

    private final Dice dice;

    Gateways(Dice dice) {
        this.dice = dice;
    }

    static int most() {
        return Places.NAMESPACES.size() * 2 + NETWORKS.size();
    }

    @Override
    public ObjectNode create(int number) {
        var slot = number % most();
        var gateway = slot < Places.NAMESPACES.size() * 2
                ? waypoint(Places.NAMESPACES.get(slot / 2), "wp-" + (slot % 2 + 1))
                : remote(NETWORKS.get(slot - Places.NAMESPACES.size() * 2));
        change(gateway);
        return gateway;
    }

    @Override
    public void change(ObjectNode gateway) {
        if (gateway.at("/spec/gatewayClassName").asText().equals("istio-waypoint")) {
            changeWaypoint(gateway);
        } else {
            changeRemote(gateway);
        }
    }

    private static ObjectNode waypoint(String namespace, String name) {
        var gateway = Draft.of(KubeKind.GATEWAY, namespace, name, "waypoint");
        Draft.spec(gateway).put("gatewayClassName", "istio-waypoint");
        return gateway;
    }

    private static ObjectNode remote(String network) {
        var gateway = Draft.of(KubeKind.GATEWAY, Places.ROOT, "to-" + network, "remote");
        Draft.labels(gateway).put("topology.istio.io/network", network);
        Draft.spec(gateway).put("gatewayClassName", "istio-remote");
        return gateway;
    }

    private void changeWaypoint(ObjectNode gateway) {
        Draft.maybe(dice, 60, Draft.labels(gateway), "istio.io/waypoint-for", "service", "workload", "all", "none");
        Draft.maybe(
                dice,
                20,
                Draft.annotations(gateway),
                "ambient.istio.io/waypoint-inbound-binding",
                "PROXY/15088",
                "NONE",
                "ODD/1/2");
        var listener = listener(gateway, 15008);
        if (dice.chance(60)) {
            var from = dice.pick("All", "Same", "Selector");
            var namespaces =
                    listener.putObject("allowedRoutes").putObject("namespaces").put("from", from);
            if (from.equals("Selector")) {
                namespaces.putObject("selector").putObject("matchLabels").put("team", "blue");
            }
        }
        var name = gateway.at("/metadata/name").asText();
        var namespace = Draft.namespace(gateway);
        var addresses = gateway.putObject("status").putArray("addresses");
        if (dice.chance(85)) {
            if (dice.chance(60)) {
                addresses
                        .addObject()
                        .put("type", "Hostname")
                        .put("value", "%s.%s.svc.cluster.local".formatted(name, namespace));
            }
            if (addresses.isEmpty() || dice.chance(30)) {
                addresses.addObject().put("type", "IPAddress").put("value", "10.96.200." + dice.between(1, 9));
            }
        }
    }

    private void changeRemote(ObjectNode gateway) {
        Draft.maybe(dice, 30, Draft.annotations(gateway), "gateway.istio.io/service-account", "courier");
        listener(gateway, dice.pick(15008, 15009));
        var hostname = dice.chance(40);
        var address = Draft.node()
                .put("type", hostname ? "Hostname" : "IPAddress")
                .put("value", hostname ? "peer.example.com" : "192.0.2." + dice.between(1, 9));
        Draft.spec(gateway).putArray("addresses").add(address);
        gateway.putObject("status").putArray("addresses").add(address.deepCopy());
    }

    private static ObjectNode listener(ObjectNode gateway, int port) {
        return Draft.spec(gateway)
                .putArray("listeners")
                .addObject()
                .put("name", "mesh")
                .put("port", port)
                .put("protocol", "HBONE");
    }
}
