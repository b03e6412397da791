// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.fathom.control.envoy.extension.ListPatch.Anchored;
import io.fathom.control.envoy.extension.ListPatch.End;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.FilterClass;
import io.fathom.wire.kube.extension.EnvoyFilterManifest.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Patches of the filters that requests go through. The router stays the last one.
final class HttpFilterPatches {
    /// The filters that an added one of a class must come before.
    private static final Set<String> AUTHORIZING = Set.of(
            "envoy.filters.http.rbac",
            "envoy.filters.http.grpc_web",
            "envoy.filters.http.grpc_stats",
            "envoy.filters.http.fault",
            "envoy.filters.http.cors",
            "envoy.filters.http.router");

    private HttpFilterPatches() {}

    static List<HttpFilter> apply(List<HttpFilter> filters, List<CompiledPatch> patches) {
        var result = filters;
        for (var patch : patches) {
            if (patch.operation() == Operation.ADD && patch.filterClass() != FilterClass.UNSPECIFIED) {
                result = add(result, patch);
                continue;
            }
            var name = ListenerMatches.subFilter(patch.match());
            result = ListPatch.apply(
                    HttpFilter.class,
                    result,
                    patch,
                    filter -> ListenerMatches.isOr(name, filter.getName()),
                    Anchored.by(name),
                    End.BEFORE_LAST);
        }
        return result;
    }

    private static List<HttpFilter> add(List<HttpFilter> filters, CompiledPatch patch) {
        var at = 0;
        while (at < filters.size() - 1
                && !isAfter(patch.filterClass(), filters.get(at).getName())) {
            at++;
        }
        var result = new ArrayList<>(filters);
        result.add(at, (HttpFilter) patch.value().orElseThrow());
        return result;
    }

    private static boolean isAfter(FilterClass filterClass, String name) {
        return switch (filterClass) {
            case AUTHN -> name.equals("envoy.filters.http.jwt_authn") || AUTHORIZING.contains(name);
            case AUTHZ -> AUTHORIZING.contains(name);
            case STATS, UNSPECIFIED -> name.equals("envoy.filters.http.router");
        };
    }
}
