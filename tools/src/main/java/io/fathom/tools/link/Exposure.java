// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Gives a cluster an east-west gateway, by which others get in. Blocks the caller.
///
/// @param namespace of the gateway
/// @param reader of what is there
record Exposure(String namespace, FactsReader reader) {
    static final String NAMESPACE = "istio-eastwest";
    private static final String NAME = "istio-eastwest";
    private static final int HBONE = 15008;
    /// An API server takes no termination without certificates or an option.
    private static final Map<String, String> TERMINATION =
            Map.of("gateway.istio.io/tls-terminate-mode", "ISTIO_MUTUAL");

    /// The usual one, in a cluster whose control plane is in the usual namespace.
    static Exposure usual() {
        return new Exposure(NAMESPACE, FactsReader.usual());
    }

    /// Whether one was made: a cluster that has one keeps it.
    ///
    /// @throws ProblemException when the cluster does not say which network it is on
    boolean expose(ClusterAccess cluster) {
        if (!reader.read(cluster).gateways().isEmpty()) {
            return false;
        }
        var network = reader.network(cluster);
        if (network.isEmpty()) {
            throw new ProblemException(Problem.ofInput(
                    "cluster-without-network",
                    cluster.context() + " does not say which network it is on",
                    "label its system namespace: kubectl --context " + cluster.context() + " label namespace "
                            + reader.namespace() + " topology.istio.io/network=NAME"));
        }
        Linker.ensureNamespace(cluster, namespace);
        cluster.apply(gateway(cluster, network));
        return true;
    }

    private Tree gateway(ClusterAccess cluster, String network) {
        var metadata = new LinkedHashMap<String, Object>();
        metadata.put("name", NAME);
        metadata.put("namespace", namespace);
        metadata.put("labels", Map.of(PeerShape.NETWORK, network, PeerShape.OWNER, PeerShape.OWNED));
        cluster.controlPlane()
                .ifPresent(place -> metadata.put("annotations", Map.of("fathom.io/control-plane", place)));
        return Json.of(Map.of(
                "apiVersion",
                "gateway.networking.k8s.io/v1",
                "kind",
                "Gateway",
                "metadata",
                metadata,
                "spec",
                Map.of(
                        "gatewayClassName",
                        "istio-east-west",
                        "listeners",
                        List.of(Map.of(
                                "name",
                                "cross-network",
                                "port",
                                HBONE,
                                "protocol",
                                "HBONE",
                                "tls",
                                Map.of("mode", "Terminate", "options", TERMINATION))))));
    }
}
