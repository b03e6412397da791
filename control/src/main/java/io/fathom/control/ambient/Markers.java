// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

/// The labels and annotations that the mesh reads.
final class Markers {
    // labels
    static final String USE_WAYPOINT = "istio.io/use-waypoint";
    static final String USE_WAYPOINT_NAMESPACE = "istio.io/use-waypoint-namespace";
    static final String USE_CANARY = "istio.io/use-waypoint-canary";
    static final String USE_CANARY_NAMESPACE = "istio.io/use-waypoint-canary-namespace";
    static final String INGRESS_USE_WAYPOINT = "istio.io/ingress-use-waypoint";
    static final String WAYPOINT_FOR = "istio.io/waypoint-for";
    static final String REVISION = "istio.io/rev";
    static final String NETWORK = "topology.istio.io/network";
    static final String TUNNEL = "networking.istio.io/tunnel";
    static final String GATEWAY_NAME = "gateway.networking.k8s.io/gateway-name";
    static final String GATEWAY_MANAGED = "gateway.istio.io/managed";
    static final String SLICE_MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
    static final String WORKLOAD_NAME = "service.istio.io/workload-name";
    static final String CANONICAL_NAME = "service.istio.io/canonical-name";
    static final String CANONICAL_REVISION = "service.istio.io/canonical-revision";
    static final String AUTOALLOCATE = "networking.istio.io/enable-autoallocate-ip";

    // annotations
    static final String REDIRECTION = "ambient.istio.io/redirection";
    static final String FOR_SERVICE_ACCOUNT = "istio.io/for-service-account";
    static final String INBOUND_BINDING = "ambient.istio.io/waypoint-inbound-binding";
    static final String CANARY_WEIGHT = "istio.io/use-waypoint-canary-weight";
    static final String TRAFFIC_DISTRIBUTION = "networking.istio.io/traffic-distribution";
    static final String GATEWAY_SERVICE_ACCOUNT = "gateway.istio.io/service-account";
    static final String REGISTRATION_GROUP = "istio.io/autoRegistrationGroup";
    static final String CONNECT_STRATEGY = "istio.io/connect-strategy";
    static final String HAIRPIN = "fathom.io/hairpin";
    static final String REQUIRE_WAYPOINT = "fathom.io/require-waypoint";

    private Markers() {}
}
