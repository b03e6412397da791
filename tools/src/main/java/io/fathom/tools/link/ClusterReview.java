// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import io.fathom.tools.link.LinkFinding.FindingSeverity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

/// Whether clusters can be linked at all: what each lacks, and what no two of them may share or must have in common.
/// Pure.
final class ClusterReview {
    private final List<LinkFinding> found = new ArrayList<>();

    private ClusterReview() {}

    /// @param trust says whose roots may be pinned
    static List<LinkFinding> of(List<ClusterFacts> clusters, TrustPlanner trust) {
        var review = new ClusterReview();
        clusters.forEach(review::alone);
        review.ids(clusters);
        review.networks(clusters);
        review.addresses(clusters);
        review.roots(clusters);
        review.found.addAll(trust.review(clusters));
        return review.found;
    }

    private void alone(ClusterFacts cluster) {
        if (cluster.id().isEmpty()) {
            error(
                    cluster,
                    "cluster-without-control-plane",
                    "has no control plane",
                    "install one, or name its namespace with --istioNamespace");
        }
        if (cluster.network().isEmpty()) {
            error(
                    cluster,
                    "cluster-without-network",
                    "does not say which network it is on",
                    "label its system namespace: kubectl --context " + cluster.context()
                            + " label namespace istio-system topology.istio.io/network=NAME");
        }
        if (cluster.gateways().isEmpty()) {
            error(
                    cluster,
                    "cluster-without-gateway",
                    "has no east-west gateway",
                    "make one: fathomctl multicluster expose --contexts " + cluster.context());
        }
        cluster.gateways().forEach(gateway -> gateway(cluster, gateway));
    }

    private void gateway(ClusterFacts cluster, EastWestGateway gateway) {
        if (gateway.addresses().isEmpty()) {
            error(
                    cluster,
                    "gateway-without-address",
                    "gateway " + gateway.path() + " has no address yet",
                    "wait for its load balancer, and see kubectl --context " + cluster.context() + " -n "
                            + gateway.namespace() + " get gateway,service,pod");
        }
        if (gateway.hbonePort().isEmpty() && gateway.discoveryPort().isEmpty()) {
            error(
                    cluster,
                    "gateway-without-listener",
                    "gateway " + gateway.path() + " takes no tunnels",
                    "add a listener with protocol HBONE, port 15008 and tls.mode Terminate");
        }
        for (var address : gateway.addresses()) {
            address.complaint()
                    .ifPresent(complaint -> error(
                            cluster,
                            "gateway-address-unroutable",
                            "gateway " + gateway.path() + " is at " + address + ", which " + complaint,
                            "give its Service an address that the other clusters can route to"));
        }
    }

    private void ids(List<ClusterFacts> clusters) {
        twice(
                clusters,
                ClusterFacts::id,
                (one, other) -> found.add(LinkFinding.between(
                        "cluster-id-twice",
                        one,
                        other,
                        one.context() + " and " + other.context() + " call themselves " + one.id(),
                        "give each control plane an id of its own: global.multiCluster.clusterName of the chart, CLUSTER_ID of"
                                + " the program")));
    }

    /// That is allowed, and seldom meant.
    private void networks(List<ClusterFacts> clusters) {
        twice(
                clusters,
                ClusterFacts::network,
                (one, other) -> found.add(new LinkFinding(
                        FindingSeverity.WARNING,
                        "network-shared",
                        one.context(),
                        other.context(),
                        one.context() + " and " + other.context() + " are both on network " + one.network()
                                + ": their pods are called directly",
                        "if they cannot reach each other, give each cluster a network of its own: label"
                                + " topology.istio.io/network of its system namespace")));
    }

    private static void twice(
            List<ClusterFacts> clusters,
            Function<ClusterFacts, String> property,
            BiConsumer<ClusterFacts, ClusterFacts> finding) {
        var first = new HashMap<String, ClusterFacts>();
        for (var cluster : clusters) {
            var value = property.apply(cluster);
            var other = value.isEmpty() ? null : first.putIfAbsent(value, cluster);
            if (other != null) {
                finding.accept(other, cluster);
            }
        }
    }

    /// An address leads to one of them only, so to the other it loops.
    private void addresses(List<ClusterFacts> clusters) {
        var first = new HashMap<String, ClusterFacts>();
        for (var cluster : clusters) {
            for (var gateway : cluster.gateways()) {
                for (var address : gateway.addresses()) {
                    var other = first.putIfAbsent(address.value(), cluster);
                    if (other != null && !other.equals(cluster)) {
                        found.add(LinkFinding.between(
                                "gateway-address-twice",
                                other,
                                cluster,
                                "the gateways of " + other.context() + " and " + cluster.context()
                                        + " say the same address, " + address,
                                "give each Service of a gateway an address of its own"));
                    }
                }
            }
        }
    }

    private void roots(List<ClusterFacts> clusters) {
        for (var cluster : clusters) {
            if (cluster.roots().isEmpty()) {
                found.add(new LinkFinding(
                        FindingSeverity.WARNING,
                        "roots-unknown",
                        cluster.context(),
                        "",
                        "the roots of " + cluster.context() + " cannot be seen, so they are not compared",
                        "see whether its control plane has written ConfigMap istio-ca-root-cert"));
            }
        }
    }

    private void error(ClusterFacts cluster, String code, String what, String fix) {
        found.add(LinkFinding.error(code, cluster.context(), what, fix));
    }
}
