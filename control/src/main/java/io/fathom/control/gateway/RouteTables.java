// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.ListenerSetManifest;
import io.fathom.wire.kube.gateway.ReferenceGrantManifest;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.gateway.RouteManifest.ParentRef;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.multicluster.ServiceImportManifest;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The verdicts of all routes, and what Gateways and waypoints want to know of them. A route is judged again when
/// something that its verdict looked at changes.
public final class RouteTables {
    private final Table<ManifestId, RouteVerdict> verdicts;
    private final Table<ListenerKey, Integer> attached;
    private final Index<RouteAttachPoint, ManifestId, RouteVerdict> byPlace;

    /// The tables that routes refer to.
    ///
    /// @param verdicts of Gateways of ours
    /// @param serviceImports as they should be, written or not
    /// @param parents how Services and ServiceEntries are found
    public record Inputs(
            Table<ObjectKey, GatewayVerdict> verdicts,
            Table<ObjectKey, GatewayManifest> gateways,
            Table<ObjectKey, ListenerSetManifest> listenerSets,
            Table<ObjectKey, ServiceManifest> services,
            Table<ObjectKey, ServiceEntryManifest> serviceEntries,
            Table<ObjectKey, ServiceImportManifest> serviceImports,
            Table<ObjectKey, NamespaceManifest> namespaces,
            Table<ObjectKey, ReferenceGrantManifest> grants,
            MeshParent.Finder parents) {}

    public RouteTables(Flow flow, Table<ManifestId, RouteManifest> routes, Inputs inputs) {
        var grants = flow.index("reference-grants/by-namespace", inputs.grants(), grant -> Set.of(grant.namespace()));
        var alone = flow.derive(
                "routes/without-rivals",
                routes,
                (fetch, route) -> Optional.of(RouteJudge.judge(route, new Tracked(fetch, inputs, grants, route))));
        var contested = flow.index("routes/contested", alone, RouteRivals::contested);
        verdicts = flow.derive(
                "routes/verdicts",
                alone,
                (fetch, own) -> Optional.of(RouteRivals.settle(own, place -> fetch.all(contested, place))));
        byPlace = flow.index(
                "routes/by-place", verdicts, verdict -> verdict.effects().keySet());
        var byListener = flow.index("routes/by-listener", verdicts, RouteVerdict::attached);
        attached = flow.reduce("routes/attached", byListener, (_, _, members) -> Optional.of(members.size()));
    }

    public Table<ManifestId, RouteVerdict> verdicts() {
        return verdicts;
    }

    /// The routes that are in effect at a place.
    public Index<RouteAttachPoint, ManifestId, RouteVerdict> byPlace() {
        return byPlace;
    }

    /// How many routes a listener takes; no row for none.
    public Table<ListenerKey, Integer> attached() {
        return attached;
    }

    /// What a route looks at, remembered by the flow.
    private record Tracked(
            Fetch<ManifestId> fetch,
            Inputs inputs,
            Index<String, ObjectKey, ReferenceGrantManifest> byNamespace,
            RouteManifest route)
            implements Surroundings {

        private ObjectKey key(String namespace, String name) {
            return new ObjectKey(route.key().cluster(), namespace, name);
        }

        @Override
        public Optional<GatewayVerdict> gateway(String namespace, String name) {
            return fetch.one(inputs.verdicts(), key(namespace, name));
        }

        @Override
        public boolean hasGateway(String namespace, String name) {
            return fetch.one(inputs.gateways(), key(namespace, name)).isPresent();
        }

        @Override
        public Optional<ListenerSetManifest> listenerSet(String namespace, String name) {
            return fetch.one(inputs.listenerSets(), key(namespace, name));
        }

        @Override
        public Optional<MeshParent> meshParent(ParentRef parent) {
            return inputs.parents()
                    .find(fetch, parent.kind(), key(parent.namespaceFor(route.namespace()), parent.name()));
        }

        @Override
        public boolean hasService(String namespace, String name) {
            return fetch.one(inputs.services(), key(namespace, name)).isPresent();
        }

        @Override
        public boolean hasServiceEntry(String namespace, String name) {
            return fetch.one(inputs.serviceEntries(), key(namespace, name)).isPresent();
        }

        @Override
        public boolean hasServiceImport(String namespace, String name) {
            return fetch.one(inputs.serviceImports(), key(namespace, name)).isPresent();
        }

        @Override
        public Map<String, String> namespaceLabels(String namespace) {
            return fetch.one(inputs.namespaces(), key("", namespace))
                    .map(NamespaceManifest::labels)
                    .orElseGet(() -> Map.of("kubernetes.io/metadata.name", namespace));
        }

        @Override
        public List<ReferenceGrantManifest> grants(String namespace) {
            return fetch.all(byNamespace, namespace);
        }
    }
}
