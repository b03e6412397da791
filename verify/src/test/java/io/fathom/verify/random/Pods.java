// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.random;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.peers.KubeKind;
import java.util.List;

/// Pods in every shape and phase.
final class Pods implements Family {
    /// Begins the names of pods that say they are instances of a Gateway.
    static final String INSTANCE = "instance-";

    private static final List<String> PORT_NAMES = List.of("http", "grpc", "admin");

    private final Dice dice;

    Pods(Dice dice) {
        this.dice = dice;
    }

    @Override
    public ObjectNode create(int number) {
        var instance = dice.chance(8); // of a waypoint, which may or may not be there
        var name = (instance ? INSTANCE : "pod-") + number;
        var pod = Draft.of(KubeKind.POD, dice.pick(Places.NAMESPACES), name, dice.pick(Draft.APPS));
        if (instance) {
            Draft.labels(pod).put("gateway.networking.k8s.io/gateway-name", dice.pick("wp-1", "wp-2"));
        }
        var metadata = (ObjectNode) pod.get("metadata");
        if (dice.chance(50)) {
            owned(metadata, number);
        }
        var spec = Draft.spec(pod);
        spec.put("serviceAccountName", "account-" + dice.between(1, 3));
        if (dice.chance(90)) {
            spec.put("nodeName", dice.chance(90) ? dice.pick(Places.NODES) : "node-unknown");
        }
        var hostNetwork = dice.chance(10);
        if (hostNetwork) {
            spec.put("hostNetwork", true);
        }
        container(spec, "containers", "main");
        if (dice.chance(20)) {
            container(spec, "initContainers", "side").put("restartPolicy", "Always");
        }
        change(pod);
        var status = pod.putObject("status");
        status.put("phase", dice.chance(85) ? "Running" : dice.pick("Pending", "Succeeded", "Failed"));
        addresses(status, number, hostNetwork);
        ready(status);
        return pod;
    }

    @Override
    public void change(ObjectNode pod) {
        var labels = Draft.labels(pod);
        labels.put("app", dice.pick(Draft.APPS));
        Draft.maybe(dice, 50, labels, "version", "v1", "v2");
        Draft.maybe(dice, 10, labels, "app.kubernetes.io/name", "known");
        Draft.maybe(dice, 10, labels, "service.istio.io/canonical-name", "canon");
        Draft.maybe(dice, 10, labels, "service.istio.io/workload-name", "named");
        Draft.maybe(dice, 10, labels, "networking.istio.io/tunnel", "http");
        Draft.maybe(dice, 15, labels, "istio.io/use-waypoint", "wp-1", "wp-2", "none");
        Draft.maybe(dice, 70, Draft.annotations(pod), "ambient.istio.io/redirection", "enabled", "enabled", "pending");
        if (pod.get("status") instanceof ObjectNode status && dice.chance(50)) {
            ready(status);
        }
    }

    private void owned(ObjectNode metadata, int number) {
        var kind = dice.pick("ReplicaSet", "StatefulSet", "Job");
        var owner = kind.equals("ReplicaSet") ? "web-%d-5f9b".formatted(number) : "web-" + number;
        metadata.put("generateName", owner + "-");
        metadata.withObject("/labels").put("pod-template-hash", "5f9b");
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", kind.equals("Job") ? "batch/v1" : "apps/v1")
                .put("kind", kind)
                .put("name", owner)
                .put("uid", "00000000-0000-0000-0000-%012d".formatted(number))
                .put("controller", true);
    }

    private ObjectNode container(ObjectNode spec, String field, String name) {
        var container = spec.putArray(field).addObject().put("name", name).put("image", "app:1");
        var ports = container.putArray("ports");
        var base = name.equals("main") ? 8080 : 9090;
        for (var port : dice.some(3, PORT_NAMES)) {
            var number = base + PORT_NAMES.indexOf(port);
            var entry = ports.addObject()
                    .put("name", name.equals("main") ? port : "side-" + port)
                    .put("containerPort", number)
                    .put("protocol", "TCP");
            if (spec.path("hostNetwork").asBoolean()) {
                entry.put("hostPort", number);
            }
        }
        return container;
    }

    private void addresses(ObjectNode status, int number, boolean hostNetwork) {
        if (status.path("phase").asText().equals("Pending") && dice.chance(50)) {
            return;
        }
        var four = hostNetwork
                ? "172.18.0." + dice.between(10, 12)
                : "10.244.%d.%d".formatted(number / 200, number % 200 + 1);
        var six = "fd00:10:244::%x".formatted(number + 1);
        var all = dice.chance(80) || hostNetwork
                ? List.of(four)
                : dice.pick(List.of(four, six), List.of(six, four), List.of(six));
        status.put("podIP", all.getFirst());
        var list = status.putArray("podIPs");
        all.forEach(ip -> list.addObject().put("ip", ip));
    }

    private void ready(ObjectNode status) {
        status.putArray("conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", dice.chance(75) ? "True" : "False");
    }
}
