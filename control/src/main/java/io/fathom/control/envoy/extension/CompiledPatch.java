// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.listener.v3.ListenerFilter;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ApplyTo;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.FilterClass;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ObjectMatch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.Operation;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.Patch;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.ProxyMatch;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/// A patch with its value as a message.
///
/// @param author the EnvoyFilter that it is part of
/// @param value empty for what is only taken away
record CompiledPatch(
        ObjectKey author,
        ApplyTo applyTo,
        ObjectMatch match,
        Operation operation,
        FilterClass filterClass,
        Optional<Message> value) {
    /// What Envoy has, and we do not patch.
    static final String UNSUPPORTED = "envoyfilter-unsupported";

    private static final String DOCUMENT = "see docs/envoyfilter.md for what can be patched";

    /// Either of both.
    record PatchResult(Optional<CompiledPatch> patch, Optional<Problem> problem) {
        static PatchResult refused(String code, String message, String fix) {
            return new PatchResult(Optional.empty(), Optional.of(Problem.ofInput(code, message, fix)));
        }
    }

    static PatchResult of(ObjectKey author, Patch patch) {
        var empty = emptyValue(patch.applyTo());
        if (empty.isEmpty()) {
            return PatchResult.refused(UNSUPPORTED, "cannot patch " + patch.applyTo() + " of any proxy", DOCUMENT);
        }
        if (!operations(patch.applyTo()).contains(patch.operation())) {
            return PatchResult.refused(
                    UNSUPPORTED,
                    "has no operation " + patch.operation() + " for " + patch.applyTo(),
                    "use one of " + operations(patch.applyTo()));
        }
        if (!patch.proxy().equals(ProxyMatch.ANY)) {
            return PatchResult.refused(
                    UNSUPPORTED,
                    "matches by version or metadata of the proxy, which all proxies of a Gateway must share",
                    "select proxies with targetRefs or workloadSelector");
        }
        if (patch.operation() == Operation.REMOVE) {
            return of(author, patch, Optional.empty());
        }
        if (patch.value().isEmpty()) {
            return PatchResult.refused(
                    "envoyfilter-no-value", "has no value to " + patch.operation(), "add patch.value");
        }
        var builder = empty.get().newBuilderForType();
        try {
            EnvoyTypes.read(patch.value(), builder);
        } catch (InvalidProtocolBufferException e) {
            return PatchResult.refused(
                    "envoyfilter-bad-value",
                    "has a value that is no "
                            + empty.get().getDescriptorForType().getName() + " of Envoy: " + e.getMessage(),
                    "correct patch.value; for types newer than Envoy 1.34 use xds.type.v3.TypedStruct");
        }
        return of(author, patch, Optional.of(builder.build()));
    }

    private static PatchResult of(ObjectKey author, Patch patch, Optional<Message> value) {
        return new PatchResult(
                Optional.of(new CompiledPatch(
                        author, patch.applyTo(), patch.match(), patch.operation(), patch.filterClass(), value)),
                Optional.empty());
    }

    private static Optional<Message> emptyValue(ApplyTo applyTo) {
        return switch (applyTo) {
            case LISTENER -> Optional.of(Listener.getDefaultInstance());
            case LISTENER_FILTER -> Optional.of(ListenerFilter.getDefaultInstance());
            case FILTER_CHAIN -> Optional.of(FilterChain.getDefaultInstance());
            case NETWORK_FILTER -> Optional.of(Filter.getDefaultInstance());
            case HTTP_FILTER -> Optional.of(HttpFilter.getDefaultInstance());
            case ROUTE_CONFIGURATION -> Optional.of(RouteConfiguration.getDefaultInstance());
            case VIRTUAL_HOST -> Optional.of(VirtualHost.getDefaultInstance());
            case HTTP_ROUTE -> Optional.of(Route.getDefaultInstance());
            case CLUSTER -> Optional.of(Cluster.getDefaultInstance());
            case EXTENSION_CONFIG, BOOTSTRAP -> Optional.empty();
        };
    }

    private static Set<Operation> operations(ApplyTo applyTo) {
        return switch (applyTo) {
            case LISTENER, FILTER_CHAIN, VIRTUAL_HOST, CLUSTER ->
                EnumSet.of(Operation.MERGE, Operation.ADD, Operation.REMOVE);
            case ROUTE_CONFIGURATION -> EnumSet.of(Operation.MERGE);
            case LISTENER_FILTER, NETWORK_FILTER, HTTP_FILTER, HTTP_ROUTE ->
                EnumSet.complementOf(EnumSet.of(Operation.MERGE_AND_REPLACE_LIST));
            case EXTENSION_CONFIG, BOOTSTRAP -> EnumSet.noneOf(Operation.class);
        };
    }
}
