// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.store;

import java.util.Map;

/// A kind of resource, known by its type URL.
public record XdsType(String url) {
    private static final String PREFIX = "type.googleapis.com/";

    /// Workloads and services.
    public static final XdsType ADDRESS = new XdsType(PREFIX + "istio.workload.Address");
    /// The workloads alone, without the wrapper that tells them from services.
    public static final XdsType WORKLOAD = new XdsType(PREFIX + "istio.workload.Workload");
    /// Layer-4 policies.
    public static final XdsType AUTHORIZATION = new XdsType(PREFIX + "istio.security.Authorization");
    /// What control planes tell each other: of the cluster, and of each service.
    public static final XdsType PEER_CLUSTER = new XdsType(PREFIX + "fathom.peering.v1.Cluster");

    public static final XdsType PEER_SERVICE = new XdsType(PREFIX + "fathom.peering.v1.Service");
    public static final XdsType PEER_ENDPOINTS = new XdsType(PREFIX + "fathom.peering.v1.Endpoints");
    /// What an agent says about its application; never answered.
    public static final XdsType HEALTH = new XdsType(PREFIX + "istio.v1.HealthInformation");

    /// What Envoys are configured with.
    public static final XdsType CLUSTER = new XdsType(PREFIX + "envoy.config.cluster.v3.Cluster");

    public static final XdsType ENDPOINTS = new XdsType(PREFIX + "envoy.config.endpoint.v3.ClusterLoadAssignment");
    public static final XdsType LISTENER = new XdsType(PREFIX + "envoy.config.listener.v3.Listener");
    public static final XdsType ROUTES = new XdsType(PREFIX + "envoy.config.route.v3.RouteConfiguration");
    public static final XdsType SECRET = new XdsType(PREFIX + "envoy.extensions.transport_sockets.tls.v3.Secret");
    public static final XdsType EXTENSION = new XdsType(PREFIX + "envoy.config.core.v3.TypedExtensionConfig");

    private static final Map<String, String> LABELS = Map.ofEntries(
            Map.entry("istio.workload.Address", "wds"),
            Map.entry("istio.workload.Workload", "wds"),
            Map.entry("istio.security.Authorization", "wads"),
            Map.entry("envoy.config.cluster.v3.Cluster", "cds"),
            Map.entry("envoy.config.listener.v3.Listener", "lds"),
            Map.entry("envoy.config.route.v3.RouteConfiguration", "rds"),
            Map.entry("envoy.config.endpoint.v3.ClusterLoadAssignment", "eds"),
            Map.entry("envoy.extensions.transport_sockets.tls.v3.Secret", "sds"),
            Map.entry("envoy.config.core.v3.TypedExtensionConfig", "ecds"),
            Map.entry("istio.networking.nds.v1.NameTable", "nds"),
            Map.entry("istio.mesh.v1alpha1.ProxyConfig", "pcds"));

    /// The short name that metrics use; `other` for a type without one, because clients choose the URL.
    public String label() {
        return url.startsWith(PREFIX) ? LABELS.getOrDefault(url.substring(PREFIX.length()), "other") : "other";
    }

    /// Whether an empty list of names asks for everything.
    public boolean emptyMeansAll() {
        return switch (label()) {
            case "rds", "eds", "sds", "ecds" -> false;
            default -> true;
        };
    }
}
