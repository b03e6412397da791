// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.tree.Json;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// An API server, by server-side apply.
public final class ClusterOutput implements GatewayOutput {
    private static final KubeResource GATEWAYS = KubeResource.of(GatewayManifest.class);

    private final KubeClient client;
    /// What is there, by `namespace/name`, as the source had it last.
    private final Map<String, GatewayManifest> seen = new ConcurrentHashMap<>();

    public ClusterOutput(KubeClient client) {
        this.client = client;
    }

    @Override
    public List<ExistingGateway> existing(Collection<GatewayManifest> manifests) {
        seen.clear();
        manifests.forEach(manifest -> seen.put(manifest.key().path(), manifest));
        return manifests.stream()
                .filter(manifest -> manifest.className().equals(PeerManifest.CLASS))
                .map(manifest -> ExistingGateway.of(manifest.namespace(), manifest.name(), manifest.labels()))
                .toList();
    }

    @Override
    public boolean put(PeerManifest gateway) {
        var there = seen.get(gateway.namespace() + "/" + gateway.name());
        if (there != null && isAs(there, gateway)) {
            return false;
        }
        var _ = client.apply(
                GATEWAYS, gateway.namespace(), gateway.name(), Json.of(gateway.content()), PeerManifest.MANAGER);
        return true;
    }

    /// Labels, annotations and addresses; nobody has a reason to change the rest.
    private static boolean isAs(GatewayManifest there, PeerManifest wanted) {
        return there.labels().entrySet().containsAll(wanted.labels().entrySet())
                && there.infrastructure()
                        .ownAnnotations()
                        .entrySet()
                        .containsAll(wanted.annotations().entrySet())
                && there.specAddresses().stream()
                        .map(GatewayManifest.Address::value)
                        .toList()
                        .equals(wanted.addresses());
    }

    @Override
    public void remove(ExistingGateway gateway) {
        var _ = client.delete(GATEWAYS, gateway.namespace(), gateway.name());
    }
}
