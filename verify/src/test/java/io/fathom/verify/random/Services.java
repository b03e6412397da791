// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.random;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.peers.KubeKind;
import java.util.List;

/// Services of every type, with the labels and annotations that steer traffic.
final class Services implements Family {
    private static final List<String> PORT_NAMES =
            List.of("http", "grpc-api", "tcp", "admin", "https", "http2-x", "plain", "mysql");

    private final Dice dice;

    Services(Dice dice) {
        this.dice = dice;
    }

    @Override
    public ObjectNode create(int number) {
        var service = Draft.of(KubeKind.SERVICE, dice.pick(Places.NAMESPACES), "svc-" + number, dice.pick(Draft.APPS));
        var spec = Draft.spec(service);
        var type = dice.chance(80) ? "ClusterIP" : dice.pick("NodePort", "LoadBalancer", "ExternalName");
        spec.put("type", type);
        if (type.equals("ExternalName")) {
            spec.put("externalName", "elsewhere.example.com");
        } else {
            addresses(spec, number, type);
        }
        change(service);
        return service;
    }

    @Override
    public void change(ObjectNode service) {
        attach(dice, service);
        var spec = Draft.spec(service);
        var external = spec.path("type").asText().equals("ExternalName");
        if (dice.chance(75)) {
            spec.putObject("selector").put("app", dice.pick(Draft.APPS));
        } else {
            spec.remove("selector");
        }
        ports(spec);
        Draft.maybe(
                dice,
                30,
                Draft.annotations(service),
                "networking.istio.io/traffic-distribution",
                "PreferClose",
                "prefersamezone",
                "PreferSameNode",
                "Unheard");
        if (!external) {
            Draft.maybe(dice, 20, spec, "trafficDistribution", "PreferClose", "PreferSameZone", "PreferSameNode");
            spec.put("internalTrafficPolicy", dice.chance(85) ? "Cluster" : "Local");
        }
        spec.put("publishNotReadyAddresses", dice.chance(10));
    }

    /// Labels of services and service entries that choose a waypoint.
    static void attach(Dice dice, ObjectNode object) {
        var labels = Draft.labels(object);
        Draft.maybe(dice, 30, labels, "istio.io/use-waypoint", "wp-1", "wp-2", "none", "nowhere");
        Draft.maybe(dice, 15, labels, "istio.io/use-waypoint-namespace", Places.NAMESPACES.toArray(String[]::new));
        Draft.maybe(dice, 20, labels, "istio.io/ingress-use-waypoint", "true", "false", "maybe");
        Draft.maybe(dice, 15, labels, "istio.io/use-waypoint-canary", "wp-1", "wp-2");
        Draft.maybe(
                dice,
                20,
                Draft.annotations(object),
                "istio.io/use-waypoint-canary-weight",
                "0",
                "30",
                "100",
                "101",
                "x");
    }

    private void addresses(ObjectNode spec, int number, String type) {
        if (type.equals("ClusterIP") && dice.chance(15)) {
            spec.put("clusterIP", "None");
            spec.putArray("clusterIPs").add("None");
            return;
        }
        var four = "10.96.%d.%d".formatted(10 + number / 200, number % 200 + 1);
        var six = "fd00:10:96::%x".formatted(0x100 + number);
        var shape = dice.chance(70) ? 0 : dice.between(1, 3);
        var addresses = List.of(List.of(four), List.of(six), List.of(four, six), List.of(six, four))
                .get(shape);
        var families = List.of(List.of("IPv4"), List.of("IPv6"), List.of("IPv4", "IPv6"), List.of("IPv6", "IPv4"))
                .get(shape);
        spec.put("clusterIP", addresses.getFirst());
        Draft.strings(spec, "clusterIPs", addresses);
        Draft.strings(spec, "ipFamilies", families);
        spec.put("ipFamilyPolicy", addresses.size() == 1 ? "SingleStack" : "RequireDualStack");
    }

    private void ports(ObjectNode spec) {
        var ports = spec.putArray("ports");
        for (var name : dice.some(3, PORT_NAMES)) {
            var port = ports.addObject()
                    .put("name", name)
                    .put("port", 80 + PORT_NAMES.indexOf(name))
                    .put("protocol", "TCP");
            if (dice.chance(40)) {
                port.put("targetPort", dice.pick("http", "grpc", "admin", "side-http", "absent"));
            } else {
                port.put("targetPort", dice.between(8000, 8100));
            }
            if (dice.chance(20)) {
                port.put("appProtocol", dice.pick("http", "kubernetes.io/h2c", "kubernetes.io/wss", "grpc", "redis"));
            }
        }
        if (dice.chance(10)) {
            ports.addObject()
                    .put("name", "dns")
                    .put("port", 53)
                    .put("protocol", "UDP")
                    .put("targetPort", 53);
        }
    }
}
