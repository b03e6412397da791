// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.fathom.control.envoy.refusal.Ingredients;
import io.fathom.control.envoy.view.ResourceKey;
import java.util.List;
import java.util.Map;

/// A route table of a proxy group and what comes with it.
///
/// @param filters that its routes count on
/// @param uses the clusters that they lead to
record RouteRow(
        Ingredients.Made made, RouteConfiguration table, List<HttpFilter> filters, Map<ResourceKey, ClusterUse> uses) {}
