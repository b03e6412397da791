// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import com.google.protobuf.Descriptors.Descriptor;
import io.envoyproxy.envoy.config.core.v3.ExtensionConfigSource;
import io.envoyproxy.envoy.config.core.v3.TypedExtensionConfig;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.extensions.filters.http.lua.v3.Lua;
import io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBAC;
import io.envoyproxy.envoy.extensions.filters.http.wasm.v3.Wasm;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.fathom.control.envoy.view.Ads;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.view.Reach;
import io.fathom.control.envoy.view.Situation;
import io.fathom.wire.kube.extension.ExtensionManifest;
import io.fathom.wire.kube.extension.TrafficExtension;
import io.fathom.wire.kube.extension.TrafficExtension.Layer;
import io.fathom.wire.kube.extension.TrafficExtension.Phase;
import io.fathom.wire.kube.extension.TrafficExtensionManifest;
import io.fathom.wire.kube.extension.WasmPluginManifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.telemetry.TrafficMode;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The modules and scripts that the proxies of a group run on traffic to one service, or on all their traffic. Filters
/// only name an extension; [#resources] fills it in, and can be changed without touching a listener. Immutable.
///
/// To waypoints an extension must be attached by name; to gateways also by labels, namespace, or for the whole mesh.
public final class Extensions {
    private final List<ExtensionManifest> attached;
    private final TrafficMode side;

    private Extensions(List<ExtensionManifest> attached, TrafficMode side) {
        this.attached = attached;
        this.side = side;
    }

    /// Picks those that are for the situation.
    ///
    /// @param candidates at least all of the root namespace, the proxies' and the service's; others are left out
    public static Extensions of(Situation situation, List<? extends ExtensionManifest> candidates) {
        var gateway = situation.group().role() == ProxyRole.INGRESS;
        var names = candidates.stream()
                .filter(TrafficExtensionManifest.class::isInstance)
                .map(ExtensionManifest::key)
                .collect(Collectors.toSet());
        List<ExtensionManifest> attached = candidates.stream()
                .filter(manifest -> !isShadowed(manifest, names))
                .filter(manifest -> Reach.of(
                                manifest.key(),
                                manifest.extension().selector(),
                                manifest.extension().targets(),
                                situation)
                        .filter(reach -> gateway || isByName(reach))
                        .isPresent())
                .sorted(Comparator.<ExtensionManifest>comparingInt(
                                manifest -> -manifest.extension().priority())
                        .thenComparing(ExtensionManifest::metadata, Metadata.OLDEST_FIRST))
                .collect(Collectors.toUnmodifiableList());
        return new Extensions(attached, gateway ? TrafficMode.CLIENT : TrafficMode.SERVER);
    }

    /// Both kinds have one name in proxies; the newer kind has it.
    private static boolean isShadowed(ExtensionManifest manifest, Set<ObjectKey> extensions) {
        return manifest instanceof WasmPluginManifest && extensions.contains(manifest.key());
    }

    private static boolean isByName(Reach reach) {
        return reach == Reach.GATEWAY || reach == Reach.GATEWAY_CLASS || reach == Reach.SERVICE;
    }

    /// The filters of a phase for requests on a port, in order.
    public List<HttpFilter> http(Phase phase, int port) {
        return of(phase, port, Layer.HTTP)
                .map(manifest -> HttpFilter.newBuilder()
                        .setName(ExtensionResources.name(manifest))
                        .setConfigDiscovery(discovery(
                                manifest.extension().program() instanceof TrafficExtension.Lua
                                        ? List.of(Lua.getDescriptor())
                                        : List.of(Wasm.getDescriptor(), RBAC.getDescriptor())))
                        .build())
                .toList();
    }

    /// The filters of a phase for connections on a port, in order.
    public List<Filter> network(Phase phase, int port) {
        return of(phase, port, Layer.NETWORK)
                .map(manifest -> Filter.newBuilder()
                        .setName(ExtensionResources.name(manifest))
                        .setConfigDiscovery(discovery(List.of(
                                io.envoyproxy.envoy.extensions.filters.network.wasm.v3.Wasm.getDescriptor(),
                                io.envoyproxy.envoy.extensions.filters.network.rbac.v3.RBAC.getDescriptor())))
                        .build())
                .toList();
    }

    /// What fills in the filters, for those whose module is not pending.
    public List<TypedExtensionConfig> resources(Modules modules) {
        return attached.stream()
                .flatMap(manifest -> ExtensionResources.of(manifest, modules).stream())
                .toList();
    }

    /// What has to be fetched.
    public List<ModuleSource> sources() {
        return attached.stream()
                .flatMap(manifest -> ModuleSource.of(manifest).stream())
                .toList();
    }

    public boolean isEmpty() {
        return attached.isEmpty();
    }

    private Stream<ExtensionManifest> of(Phase phase, int port, Layer layer) {
        return attached.stream()
                .filter(manifest -> manifest.extension().phase() == phase
                        && layer(manifest.extension()) == layer
                        && manifest.extension().covers(side, port));
    }

    private static Layer layer(TrafficExtension extension) {
        return switch (extension.program()) {
            case TrafficExtension.Wasm wasm -> wasm.layer();
            case TrafficExtension.Lua _ -> Layer.HTTP;
        };
    }

    private static ExtensionConfigSource discovery(List<Descriptor> types) {
        return ExtensionConfigSource.newBuilder()
                .setConfigSource(Ads.SOURCE)
                .addAllTypeUrls(types.stream()
                        .map(type -> "type.googleapis.com/" + type.getFullName())
                        .toList())
                .build();
    }
}
