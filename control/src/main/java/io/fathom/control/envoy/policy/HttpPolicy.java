// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.fathom.control.envoy.view.ClusterName;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// The filters of policies in an HTTP chain, in three parts: extensions may stand between them.
///
/// @param custom asks others: first of all filters
/// @param authentication checks tokens: after extensions of the phase AUTHN
/// @param authorization AUDIT, DENY, ALLOW: after extensions of the phase AUTHZ
/// @param clusters that the filters call; the proxy must have them
public record HttpPolicy(
        List<HttpFilter> custom,
        List<HttpFilter> authentication,
        List<HttpFilter> authorization,
        Set<ClusterName> clusters) {
    public static final HttpPolicy NONE = new HttpPolicy(List.of(), List.of(), List.of(), Set.of());

    public HttpPolicy {
        custom = List.copyOf(custom);
        authentication = List.copyOf(authentication);
        authorization = List.copyOf(authorization);
        clusters = Set.copyOf(clusters);
    }

    /// All of them in order, where nothing stands between.
    public List<HttpFilter> filters() {
        return Stream.of(custom, authentication, authorization)
                .flatMap(List::stream)
                .toList();
    }
}
