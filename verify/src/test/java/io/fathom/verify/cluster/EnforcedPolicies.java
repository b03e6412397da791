// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/// Enforces the NetworkPolicies of a namespace on the pods that run there now, by rules of the kernel in each pod's own
/// network: the nodes of `verify/kube` have no plugin that does. It knows what our charts say, ports that anybody may
/// call, and fails on anything else. A pod's own node may always call, as Kubernetes has it.
final class EnforcedPolicies {
    private final KubeMesh mesh;
    private final String namespace;

    EnforcedPolicies(KubeMesh mesh, String namespace) {
        this.mesh = mesh;
        this.namespace = namespace;
    }

    /// The names of the policies.
    List<String> enforce() {
        var policies = mesh.list("-n", namespace, "networkpolicies");
        for (var policy : policies) {
            var ports = ports(policy.path("spec"));
            var pods = mesh.list("-n", namespace, "pods", "-l", selector(policy.path("spec")));
            assertThat(pods).as("pods of " + policy.at("/metadata/name")).isNotEmpty();
            pods.forEach(pod -> close(pod, ports));
        }
        return policies.stream().map(it -> it.at("/metadata/name").asText()).toList();
    }

    private static String selector(JsonNode spec) {
        assertThat(spec.at("/podSelector").fieldNames()).toIterable().containsExactly("matchLabels");
        return spec.at("/podSelector/matchLabels").properties().stream()
                .map(label -> label.getKey() + "=" + label.getValue().asText())
                .collect(Collectors.joining(","));
    }

    private static List<String> ports(JsonNode spec) {
        assertThat(spec.path("policyTypes")).extracting(JsonNode::asText).containsExactly("Ingress");
        assertThat(spec.path("ingress")).hasSize(1);
        assertThat(spec.at("/ingress/0").fieldNames()).toIterable().containsExactly("ports");
        return StreamSupport.stream(spec.at("/ingress/0/ports").spliterator(), false)
                .peek(port -> assertThat(port.path("protocol").asText()).isEqualTo("TCP"))
                .map(port -> Integer.toString(port.path("port").intValue()))
                .toList();
    }

    private void close(JsonNode pod, List<String> ports) {
        var address = pod.at("/status/podIP").asText();
        var host = pod.at("/spec/nodeName").asText();
        var node = Integer.parseInt(host.substring(host.length() - 1));
        var find = "for n in $(ls /run/netns); do ip -n $n -br address | grep -q ' " + address + "/' && echo $n; done";
        var network = mesh.on(node, "bash", "-c", find).run().out().strip();
        assertThat(network).as("network of " + address).startsWith("cni-");
        var gateway = address.substring(0, address.lastIndexOf('.')) + ".1";
        var rules = List.of(
                "add table inet closed",
                "add chain inet closed in { type filter hook input priority 0; policy drop; }",
                "add rule inet closed in iifname lo accept",
                "add rule inet closed in ct state established,related accept",
                "add rule inet closed in ip saddr " + gateway + " accept",
                "add rule inet closed in tcp dport { " + String.join(", ", ports) + " } accept");
        var _ = mesh.on(node, "ip", "netns", "exec", network, "nft", String.join("; ", rules))
                .run()
                .expect("nft");
    }
}
