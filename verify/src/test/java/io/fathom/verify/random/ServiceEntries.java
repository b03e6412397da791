// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.random;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.peers.KubeKind;
import java.util.List;

/// Service entries of every resolution, each with hosts of its own.
///
/// Resolution and addresses never change: upstream does not allocate addresses again for an entry that had lost them.
/// Endpoints have no network of their own: upstream lets it leak into the next endpoint.
final class ServiceEntries implements Family {
    private static final List<String> PROTOCOLS = List.of("HTTP", "HTTP2", "GRPC", "TCP", "TLS", "HTTPS");

    private final Dice dice;

    ServiceEntries(Dice dice) {
        this.dice = dice;
    }

    @Override
    public ObjectNode create(int number) {
        var entry = Draft.of(
                KubeKind.SERVICE_ENTRY, dice.pick(Places.NAMESPACES), "entry-" + number, dice.pick(Draft.APPS));
        var spec = Draft.spec(entry);
        var resolution = dice.pick("STATIC", "STATIC", "DNS", "DNS", "NONE", "DNS_ROUND_ROBIN");
        spec.put("resolution", resolution);
        spec.put("location", dice.pick("MESH_EXTERNAL", "MESH_INTERNAL"));
        var hosts = spec.putArray("hosts").add("h%d.example.com".formatted(number));
        if (dice.chance(20) && !resolution.equals("DNS_ROUND_ROBIN")) {
            hosts.add("h%d-too.example.com".formatted(number));
        }
        if (dice.chance(30)) {
            var addresses = spec.putArray("addresses").add("198.51.100." + (number % 250 + 1));
            if (resolution.equals("STATIC") && dice.chance(50)) {
                addresses.add("203.0.%d.7/24".formatted(number % 250));
            }
        }
        Draft.maybe(dice, 10, Draft.labels(entry), "networking.istio.io/enable-autoallocate-ip", "false");
        if (dice.chance(20)) {
            Draft.strings(spec, "subjectAltNames", dice.some(2, List.of("spiffe://x/ns/a/sa/b", "other")));
        }
        if (resolution.equals("STATIC") && dice.chance(40)) {
            spec.putObject("workloadSelector").putObject("labels").put("app", dice.pick(Draft.APPS));
        }
        change(entry);
        return entry;
    }

    @Override
    public void change(ObjectNode entry) {
        Services.attach(dice, entry);
        var labels = Draft.labels(entry);
        labels.put("app", dice.pick(Draft.APPS));
        Draft.maybe(dice, 10, labels, "networking.istio.io/tunnel", "http");
        Draft.maybe(dice, 20, Draft.annotations(entry), "ambient.istio.io/redirection", "enabled");
        Draft.maybe(
                dice, 20, Draft.annotations(entry), "networking.istio.io/traffic-distribution", "PreferClose", "Odd");
        var spec = Draft.spec(entry);
        ports(spec);
        var resolution = spec.path("resolution").asText();
        spec.remove("endpoints");
        if ((resolution.equals("STATIC") && !spec.has("workloadSelector"))
                || (resolution.equals("DNS") && dice.chance(50))) {
            endpoints(spec, entry.at("/metadata/name").asText().replaceAll("\\D", ""));
        }
    }

    private void ports(ObjectNode spec) {
        var ports = spec.putArray("ports");
        for (var protocol : dice.some(2, PROTOCOLS)) {
            var port = ports.addObject()
                    .put("name", "p-" + PROTOCOLS.indexOf(protocol))
                    .put("number", 400 + PROTOCOLS.indexOf(protocol))
                    .put("protocol", protocol);
            if (dice.chance(30)) {
                port.put("targetPort", dice.between(9000, 9010));
            }
        }
    }

    private void endpoints(ObjectNode spec, String number) {
        var endpoints = spec.putArray("endpoints");
        var names = spec.path("resolution").asText().equals("DNS");
        for (var i = 1; i <= dice.between(1, 3); i++) {
            var endpoint = endpoints
                    .addObject()
                    .put(
                            "address",
                            names ? "e%s-%d.example.com".formatted(number, i) : "172.21.%s.%d".formatted(number, i));
            if (dice.chance(30)) {
                endpoint.put("weight", dice.between(1, 9));
            }
            if (dice.chance(30)) {
                endpoint.put("locality", dice.pick("eu/z1/rack-1", "us/z2", "eu"));
            }
            if (dice.chance(30)) {
                endpoint.put("serviceAccount", "account-" + dice.between(1, 3));
            }
            if (dice.chance(30)) {
                endpoint.putObject("ports").put(spec.at("/ports/0/name").asText(), dice.between(9500, 9510));
            }
        }
    }
}
