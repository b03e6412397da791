// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.Destinations;
import io.fathom.control.envoy.view.ProxyGroup;
import io.fathom.control.envoy.view.ProxyRole;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Policies in, filters out, in the order in which they must stand. Pure.
public final class PolicyFilters {
    private PolicyFilters() {}

    /// For a chain that reads HTTP.
    ///
    /// @param destinations where the services of providers are looked up
    /// @param keys the key sets of token issuers
    public static HttpPolicy http(
            ProxyGroup group,
            AppliedPolicies policies,
            PolicySettings settings,
            Destinations destinations,
            KeySets keys) {
        if (group.role() == ProxyRole.EAST_WEST || policies.isEmpty()) {
            return HttpPolicy.NONE;
        }
        var dialect = new Dialect(Dialect.PolicyLayer.HTTP, Dialect.Identity.of(group.role()), settings);
        var clusters = new HashSet<ClusterName>();
        var custom = new CustomFilters(dialect, group, settings, destinations).http(policies, clusters);
        return new HttpPolicy(
                custom,
                JwtFilter.of(policies.authentications(), keys).stream().toList(),
                RbacFilters.http(policies, dialect),
                clusters);
    }

    /// For a chain that only forwards bytes.
    public static TcpPolicy tcp(
            ProxyGroup group, AppliedPolicies policies, PolicySettings settings, Destinations destinations) {
        if (group.role() == ProxyRole.EAST_WEST || policies.authorizations().isEmpty()) {
            return TcpPolicy.NONE;
        }
        var dialect = new Dialect(Dialect.PolicyLayer.TCP, Dialect.Identity.of(group.role()), settings);
        Set<ClusterName> clusters = new HashSet<>();
        List<Filter> filters = new ArrayList<>();
        filters.addAll(new CustomFilters(dialect, group, settings, destinations).tcp(policies, clusters));
        filters.addAll(RbacFilters.tcp(policies, dialect));
        return new TcpPolicy(filters, clusters);
    }

    static HttpFilter filter(String name, com.google.protobuf.Message config) {
        return HttpFilter.newBuilder()
                .setName(name)
                .setTypedConfig(com.google.protobuf.Any.pack(config))
                .build();
    }

    static Filter networkFilter(String name, com.google.protobuf.Message config) {
        return Filter.newBuilder()
                .setName(name)
                .setTypedConfig(com.google.protobuf.Any.pack(config))
                .build();
    }
}
