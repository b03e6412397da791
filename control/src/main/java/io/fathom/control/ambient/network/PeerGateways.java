// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.network;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Keys;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;
import java.util.Set;

/// The Gateways of our cluster that stand for gateways elsewhere. One that stands for our own cluster is what others
/// may copy; nothing leads through it.
public final class PeerGateways {
    private final Table<ObjectKey, PeerGateway> table;
    private final Index<String, ObjectKey, PeerGateway> byCluster;
    private final Table<ObjectKey, GatewayManifest> eastWest;
    private final Table<ObjectKey, GatewayManifest> ownDescriptions;
    private final Table<ProblemKey, ObjectProblem> problems;

    public PeerGateways(Flow flow, Inputs inputs, AmbientConfig config) {
        eastWest = flow.derive(
                "peer-gateways/east-west",
                inputs.gateways(),
                (fetch, gateway) -> Optional.of(gateway)
                        .filter(it -> it.key().cluster().equals(config.clusterId())
                                && kind(fetch, inputs, it) == GatewayKind.EAST_WEST));
        ownDescriptions = flow.derive(
                "peer-gateways/own",
                inputs.gateways(),
                (fetch, gateway) -> Optional.of(gateway)
                        .filter(it -> kind(fetch, inputs, it) == GatewayKind.REMOTE
                                && PeerGateway.of(it).cluster().equals(Optional.of(config.clusterId()))));
        var all = flow.derive("peer-gateways/all", inputs.gateways(), (fetch, gateway) -> {
            return kind(fetch, inputs, gateway) == GatewayKind.REMOTE
                    ? Optional.of(PeerGateway.of(gateway))
                    : Optional.<PeerGateway>empty();
        });
        table = flow.derive(
                "peer-gateways",
                all,
                (fetch, peer) ->
                        Optional.of(peer).filter(own -> !own.cluster().equals(Optional.of(config.clusterId()))));
        byCluster = flow.index(
                "peer-gateways/by-cluster",
                table,
                peer -> peer.cluster().map(Set::of).orElse(Set.of()));
        problems = flow.deriveMany(
                "peer-gateways/problems",
                table,
                (fetch, peer) -> ObjectProblem.rows(PeerGatewayReview.of(peer, rival(fetch, peer))));
    }

    /// Those that lead elsewhere.
    public Table<ObjectKey, PeerGateway> table() {
        return table;
    }

    private static GatewayKind kind(Fetch<ObjectKey> fetch, Inputs inputs, GatewayManifest gateway) {
        return GatewayKind.of(
                gateway.className(),
                fetch.one(inputs.gatewayClasses(), Keys.clusterWide(gateway.key(), gateway.className())));
    }

    /// The Gateways of our cluster that let other networks in.
    public Table<ObjectKey, GatewayManifest> eastWest() {
        return eastWest;
    }

    /// Those that stand for our own cluster, for others to copy.
    public Table<ObjectKey, GatewayManifest> ownDescriptions() {
        return ownDescriptions;
    }

    /// By the cluster that they stand for.
    public Index<String, ObjectKey, PeerGateway> byCluster() {
        return byCluster;
    }

    /// What they lack.
    public Table<ProblemKey, ObjectProblem> problems() {
        return problems;
    }

    /// Another Gateway for the same cluster that names another network: both cannot be right.
    private Optional<PeerGateway> rival(Fetch<ObjectKey> fetch, PeerGateway peer) {
        return peer.cluster()
                .flatMap(cluster -> fetch.all(byCluster, cluster).stream()
                        .filter(other -> !other.key().equals(peer.key())
                                && !other.network(Optional.empty()).equals(peer.network(Optional.empty())))
                        .findFirst());
    }
}
