// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.config.rbac.v3.Permission;
import io.envoyproxy.envoy.config.rbac.v3.Policy;
import io.envoyproxy.envoy.config.rbac.v3.Principal;
import io.envoyproxy.envoy.config.rbac.v3.RBAC.Action;
import io.envoyproxy.envoy.extensions.filters.http.dynamic_forward_proxy.v3.FilterConfig;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.extensions.filters.network.rbac.v3.RBAC;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.Resolution;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.model.mesh.Port;
import java.util.List;

/// Services whose clusters look up the host that each client names: what has to stand before such a cluster, and which
/// names clients may use. Nobody gets out to a host that the service does not cover. Pure.
public final class DynamicForward {
    private DynamicForward() {}

    public static boolean isUsedBy(MeshService service) {
        return service.resolution() == Resolution.DYNAMIC_DNS;
    }

    /// The hosts of requests that are let through, as domains of a route table: with the port that the client dialled
    /// or without any.
    public static List<String> domains(MeshService service, int port) {
        return isUsedBy(service) ? List.of(service.hostname(), service.hostname() + ":" + port) : List.of("*");
    }

    /// Looks up the host of each request.
    public static List<HttpFilter> forRequests(MeshService service) {
        return isUsedBy(service)
                ? List.of(HttpFilter.newBuilder()
                        .setName("envoy.filters.http.dynamic_forward_proxy")
                        .setTypedConfig(Any.pack(FilterConfig.newBuilder()
                                .setDnsCacheConfig(Discovery.cache(service))
                                .build()))
                        .build())
                : List.of();
    }

    /// Looks up the server name of each connection with TLS, and closes those with a name that is not the service's.
    public static List<Filter> forConnections(MeshService service, ServicePort port) {
        if (!isUsedBy(service)) {
            return List.of();
        }
        var lookup =
                io.envoyproxy.envoy.extensions.filters.network.sni_dynamic_forward_proxy.v3.FilterConfig.newBuilder()
                        .setDnsCacheConfig(Discovery.cache(service))
                        .setPortValue(target(service, port.number()))
                        .build();
        return List.of(
                filter("envoy.filters.network.rbac", onlyItsNames(service)),
                filter("envoy.filters.network.sni_dynamic_forward_proxy", lookup));
    }

    private static RBAC onlyItsNames(MeshService service) {
        var host = service.hostname();
        var name = host.startsWith("*")
                ? StringMatcher.newBuilder().setSuffix(host.substring(1))
                : StringMatcher.newBuilder().setExact(host);
        var covered = Policy.newBuilder()
                .addPermissions(Permission.newBuilder().setRequestedServerName(name.setIgnoreCase(true)))
                .addPrincipals(Principal.newBuilder().setAny(true));
        return RBAC.newBuilder()
                .setStatPrefix("dynamic_forward.")
                .setRules(io.envoyproxy
                        .envoy
                        .config
                        .rbac
                        .v3
                        .RBAC
                        .newBuilder()
                        .setAction(Action.ALLOW)
                        .putPolicies("server-name", covered.build()))
                .build();
    }

    /// Where a port of the service leads.
    public static int target(MeshService service, int number) {
        return service.service().ports().stream()
                .filter(port -> port.servicePort() == number && port.targetPort() > 0)
                .map(Port::targetPort)
                .findFirst()
                .orElse(number);
    }

    private static Filter filter(String name, com.google.protobuf.Message config) {
        return Filter.newBuilder()
                .setName(name)
                .setTypedConfig(Any.pack(config))
                .build();
    }
}
