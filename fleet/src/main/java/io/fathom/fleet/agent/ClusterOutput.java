// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.trust.TrustBundleManifest;
import io.fathom.wire.kube.trust.TrustBundleObject;
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

    @Override
    public List<ExistingTrust> trusts(String namespace, Collection<TrustBundleManifest> manifests) {
        var query =
                KubeQuery.all(KubeResource.CONFIG_MAPS).inNamespace(namespace).withLabels(TrustBundleObject.LABEL);
        return client.list(query).items().stream()
                .map(object -> ExistingTrust.of(object.tree()))
                .toList();
    }

    @Override
    public void put(TrustManifest bundle) {
        var isForeign = client.get(KubeResource.CONFIG_MAPS, bundle.namespace(), bundle.name())
                .filter(there -> !ExistingTrust.of(there.tree()).isOurs())
                .isPresent();
        if (isForeign) {
            throw new ProblemException(Problem.ofInput(
                    "trust-object-taken",
                    "ConfigMap " + bundle.namespace() + "/" + bundle.name() + " is not the agent's, and has the name"
                            + " that it needs for the roots of cluster "
                            + bundle.trust().cluster(),
                    "rename it, or give it label " + TrustBundleObject.LABEL + " if it holds those roots"));
        }
        var _ = client.apply(
                KubeResource.CONFIG_MAPS, bundle.namespace(), bundle.name(), bundle.content(), PeerManifest.MANAGER);
    }

    @Override
    public void remove(ExistingTrust bundle) {
        var _ = client.delete(KubeResource.CONFIG_MAPS, bundle.namespace(), bundle.name());
    }
}
