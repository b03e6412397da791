// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.clusters;

import io.fathom.base.flow.Cut;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.network.GatewayKind;
import io.fathom.control.ambient.network.NetworkGateway;
import io.fathom.control.ambient.network.PeerGateway;
import io.fathom.control.reach.ProbeJudge;
import io.fathom.model.mesh.GatewayAddress.GatewayDestination;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.pki.IssuerKey;
import io.fathom.wire.pki.TlsIdentity;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// What is to be probed, and what one needs to judge it. Any thread.
final class ProbeTargets {
    private final AmbientMesh mesh;
    private final String cluster;

    /// @param cluster ours
    ProbeTargets(AmbientMesh mesh, String cluster) {
        this.mesh = mesh;
        this.cluster = cluster;
    }

    /// Every address of the gateways of other networks.
    Map<String, ProbeTarget> now() {
        var cut = mesh.cut();
        var network = mesh.network();
        var domain = mesh.trustDomains().getFirst();
        var found = new TreeMap<String, ProbeTarget>();
        cut.of(mesh.networkGateways())
                .forEach((_, gateways) -> gateways.stream()
                        .filter(gateway -> !gateway.network().equals(network))
                        .forEach(gateway -> addresses(cut, gateway).forEach(address -> {
                            var expected = new Identity(
                                    gateway.trustDomain().isEmpty() ? domain : gateway.trustDomain(),
                                    gateway.gateway().namespace(),
                                    gateway.account());
                            var target = new ProbeTarget(gateway, clusterOf(cut, gateway), expected, address);
                            found.put(target.key(), target);
                        })));
        return found;
    }

    private List<IpPort> addresses(Cut cut, NetworkGateway gateway) {
        var dialled = gateway.dialled();
        var ips = switch (dialled.destination()) {
            case GatewayDestination.ByAddress(var address) ->
                address.block().isSingleAddress() ? List.of(address.block().address()) : List.<Ip>of();
            case GatewayDestination.ByHostname(var host) ->
                cut.of(mesh.gatewayVerdicts().names()).find(host.hostname()).orElse(List.of());
        };
        return ips.stream().map(ip -> new IpPort(ip, dialled.hbonePort())).toList();
    }

    private String clusterOf(Cut cut, NetworkGateway gateway) {
        var declared = cut.of(mesh.peerGateways()).find(gateway.gateway());
        return declared.isPresent()
                ? declared.flatMap(PeerGateway::cluster).orElse("")
                : gateway.gateway().cluster();
    }

    ProbeJudge judge(TlsIdentity own) {
        var issuers = new HashMap<String, Set<String>>();
        mesh.peers().all().forEach((peer, summary) -> issuers.put(peer, summary.issuers()));
        return new ProbeJudge(
                cluster, IssuerKey.of(own.chain(), own.roots()).map(Set::of).orElse(Set.of()), ownAddresses(), issuers);
    }

    private Set<String> ownAddresses() {
        var found = new HashSet<String>();
        mesh.cut().of(mesh.objects(GatewayManifest.class)).forEach((_, gateway) -> {
            if (GatewayKind.of(gateway.className(), Optional.empty()) == GatewayKind.EAST_WEST) {
                gateway.statusAddresses().forEach(address -> found.add(address.value()));
            }
        });
        return found;
    }
}
