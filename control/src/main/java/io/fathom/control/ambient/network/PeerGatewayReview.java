// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.network;

import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.input.Markers;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.gateway.GatewayManifest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What a Gateway of class `istio-remote` lacks to lead somewhere. Pure.
final class PeerGatewayReview {
    private final PeerGateway peer;
    private final List<ObjectProblem> found = new ArrayList<>();

    private PeerGatewayReview(PeerGateway peer) {
        this.peer = peer;
    }

    /// @param rival another Gateway for the same cluster that says something else
    static List<ObjectProblem> of(PeerGateway peer, Optional<PeerGateway> rival) {
        var review = new PeerGatewayReview(peer);
        review.goal();
        review.addresses();
        review.listeners();
        rival.ifPresent(review::rival);
        return review.found;
    }

    private void goal() {
        if (peer.network(Optional.empty()).isEmpty()) {
            error(
                    "metadata.labels",
                    "peer-gateway-without-network",
                    "stands for no network",
                    "add the label " + Markers.NETWORK + " with the network that it leads to, or name it "
                            + PeerGateway.NAME_PREFIX + "CLUSTER");
        }
    }

    private void addresses() {
        if (peer.addresses().isEmpty()) {
            error(
                    "spec.addresses",
                    "peer-gateway-without-address",
                    "has no address",
                    "write the address of the other cluster's east-west gateway under spec.addresses: type IPAddress or"
                            + " Hostname, and value");
        }
        for (var address : peer.addresses()) {
            if (!isUsable(address)) {
                error(
                        "spec.addresses",
                        "peer-gateway-bad-address",
                        "has the address \"" + address.value() + "\" of type " + address.type()
                                + ", which nobody can reach",
                        "write an IP without a port as type IPAddress, or a host name as type Hostname");
            }
        }
    }

    private static boolean isUsable(GatewayManifest.Address address) {
        return switch (address.type()) {
            case "IPAddress" -> Ip.parse(address.value()).isPresent();
            case "Hostname" -> !address.value().isEmpty() && !address.value().contains(":");
            default -> false;
        };
    }

    private void listeners() {
        if (peer.hbonePort().isEmpty()) {
            error(
                    "spec.listeners",
                    "peer-gateway-without-listener",
                    "has no listener for tunnels",
                    "add a listener with protocol HBONE and port 15008");
        }
    }

    private void rival(PeerGateway other) {
        error(
                "metadata",
                "peer-gateway-ambiguous",
                "stands for cluster " + peer.cluster().orElseThrow() + " on network "
                        + peer.network(Optional.empty()).orElseThrow() + ", and so does "
                        + other.key().path() + " on network "
                        + other.network(Optional.empty()).orElseThrow(),
                "remove the one that is out of date: a cluster is on one network");
    }

    private void error(String field, String code, String message, String fix) {
        found.add(ObjectProblem.error(
                new ManifestId(GatewayManifest.class, peer.key()),
                field,
                Problem.ofInput(code, "Gateway " + peer.key().path() + " of class istio-remote " + message, fix)));
    }
}
