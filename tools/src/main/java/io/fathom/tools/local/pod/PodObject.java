// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.pod;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Objects as an API server would have them, as JSON. Pure.
public final class PodObject {
    private static final ObjectMapper JSON = new ObjectMapper();

    private PodObject() {}

    /// A pod that waits to be started.
    static String pending(PodFacts pod, String hostIp, Instant created) {
        var template = object(pod.template().json());
        var object = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Pod");
        var metadata = object.putObject("metadata");
        if (template.get("metadata") instanceof ObjectNode given) {
            metadata.setAll(given);
        }
        metadata.put("name", pod.name())
                .put("namespace", pod.namespace())
                .put("uid", pod.uid())
                .put("creationTimestamp", created.toString());
        var labels = metadata.putObject("labels");
        pod.labels().forEach(labels::put);
        switch (pod.kind()) {
            case DEPLOYMENT -> owner(metadata, "ReplicaSet", pod.ownerName());
            case STATEFUL_SET, PARALLEL_STATEFUL_SET -> owner(metadata, "StatefulSet", pod.ownerName());
            case POD -> {}
        }
        var spec = object.putObject("spec");
        if (template.get("spec") instanceof ObjectNode given) {
            spec.setAll(given);
        }
        spec.put("nodeName", pod.nodeName())
                .put("serviceAccountName", pod.template().account());
        object.putObject("status").put("phase", "Pending").put("hostIP", hostIp);
        return object.toString();
    }

    private static void owner(ObjectNode metadata, String kind, String name) {
        metadata.put("generateName", name + "-")
                .putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "apps/v1")
                .put("kind", kind)
                .put("name", name)
                .put("controller", true);
    }

    /// What changes about it while it runs: a merge patch.
    static String running(PodFacts pod, PodState state) {
        var patch = JSON.createObjectNode();
        patch.putObject("metadata").put("uid", pod.uid());
        var status = patch.putObject("status").put("phase", phase(state)).put("podIP", pod.ip());
        status.putArray("podIPs").addObject().put("ip", pod.ip());
        var ready = state.ready() ? "True" : "False";
        var conditions = status.putArray("conditions");
        conditions.addObject().put("type", "Ready").put("status", ready);
        conditions.addObject().put("type", "ContainersReady").put("status", ready);
        status.putArray("containerStatuses")
                .addObject()
                .put("name", "main")
                .put("ready", state.ready())
                .put("restartCount", state.restarts());
        return patch.toString();
    }

    private static String phase(PodState state) {
        return switch (state.phase()) {
            case PENDING -> "Pending";
            case SUCCEEDED -> "Succeeded";
            case FAILED -> "Failed";
            case RUNNING, STOPPING, GONE -> "Running";
        };
    }

    /// A merge patch that says that it is about to go.
    static String leaving(PodFacts pod, Instant when) {
        var patch = JSON.createObjectNode();
        patch.putObject("metadata").put("uid", pod.uid()).put("deletionTimestamp", when.toString());
        return patch.toString();
    }

    /// A node, with a zone of its own.
    public static String node(String name, String ip, String region) {
        var object = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Node");
        object.putObject("metadata")
                .put("name", name)
                .putObject("labels")
                .put("kubernetes.io/hostname", name)
                .put("topology.kubernetes.io/region", region)
                .put("topology.kubernetes.io/zone", region + "-" + name);
        object.putObject("status")
                .putArray("addresses")
                .addObject()
                .put("type", "InternalIP")
                .put("address", ip);
        return object.toString();
    }

    /// The node proxy of a node. That it is there gives it a token.
    public static String proxy(String node, String ip) {
        var object = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Pod");
        object.putObject("metadata")
                .put("name", "ztunnel-" + node)
                .put("namespace", "istio-system")
                .put("uid", "ztunnel-" + node)
                .putObject("labels")
                .put("app", "ztunnel");
        var spec = object.putObject("spec")
                .put("nodeName", node)
                .put("serviceAccountName", "ztunnel")
                .put("hostNetwork", true);
        spec.putArray("containers").addObject().put("name", "istio-proxy").put("image", "ztunnel");
        var status = object.putObject("status").put("phase", "Running").put("podIP", ip);
        status.putArray("conditions").addObject().put("type", "Ready").put("status", "True");
        return object.toString();
    }

    /// A Gateway with the addresses that it is reached at.
    public static String gateway(String json, List<String> ips, List<String> hosts) {
        var object = object(json);
        var addresses = object.withObjectProperty("status").putArray("addresses");
        ips.forEach(ip -> addresses.addObject().put("type", "IPAddress").put("value", ip));
        hosts.forEach(host -> addresses.addObject().put("type", "Hostname").put("value", host));
        return object.toString();
    }

    /// A Service with an address, and one of a load balancer if it has that.
    public static String service(String json, String clusterIp, Optional<String> balancer) {
        var object = object(json);
        var spec = object.withObjectProperty("spec").put("clusterIP", clusterIp);
        spec.putArray("clusterIPs").add(clusterIp);
        spec.putArray("ipFamilies").add("IPv4");
        balancer.ifPresent(ip -> object.withObjectProperty("status")
                .withObjectProperty("loadBalancer")
                .putArray("ingress")
                .addObject()
                .put("ip", ip));
        return object.toString();
    }

    private static ObjectNode object(String json) {
        try {
            return JSON.readTree(json) instanceof ObjectNode object ? object : JSON.createObjectNode();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("not JSON: " + json, e);
        }
    }
}
