// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.input;

/// The labels and annotations that the mesh reads.
public final class Markers {
    // labels
    public static final String USE_WAYPOINT = "istio.io/use-waypoint";
    public static final String USE_WAYPOINT_NAMESPACE = "istio.io/use-waypoint-namespace";
    public static final String USE_CANARY = "istio.io/use-waypoint-canary";
    public static final String USE_CANARY_NAMESPACE = "istio.io/use-waypoint-canary-namespace";
    public static final String INGRESS_USE_WAYPOINT = "istio.io/ingress-use-waypoint";
    public static final String WAYPOINT_FOR = "istio.io/waypoint-for";
    static final String REVISION = "istio.io/rev";
    public static final String NETWORK = "topology.istio.io/network";
    public static final String GLOBAL = "istio.io/global";
    static final String SERVICE_SCOPE = "solo.io/service-scope";
    static final String SERVICE_TAKEOVER = "solo.io/service-takeover";
    public static final String CLUSTER = "topology.istio.io/cluster";
    public static final String REGION = "topology.kubernetes.io/region";
    public static final String ZONE = "topology.kubernetes.io/zone";
    public static final String DATAPLANE_MODE = "istio.io/dataplane-mode";
    public static final String TUNNEL = "networking.istio.io/tunnel";
    public static final String GATEWAY_NAME = "gateway.networking.k8s.io/gateway-name";
    public static final String GATEWAY_MANAGED = "gateway.istio.io/managed";
    public static final String SLICE_MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
    public static final String WORKLOAD_NAME = "service.istio.io/workload-name";
    public static final String CANONICAL_NAME = "service.istio.io/canonical-name";
    public static final String CANONICAL_REVISION = "service.istio.io/canonical-revision";
    public static final String AUTOALLOCATE = "networking.istio.io/enable-autoallocate-ip";

    // annotations
    public static final String REDIRECTION = "ambient.istio.io/redirection";
    public static final String FOR_SERVICE_ACCOUNT = "istio.io/for-service-account";
    public static final String INBOUND_BINDING = "ambient.istio.io/waypoint-inbound-binding";
    public static final String CANARY_WEIGHT = "istio.io/use-waypoint-canary-weight";
    public static final String TRAFFIC_DISTRIBUTION = "networking.istio.io/traffic-distribution";
    public static final String GATEWAY_SERVICE_ACCOUNT = "gateway.istio.io/service-account";
    public static final String GATEWAY_TRUST_DOMAIN = "gateway.istio.io/trust-domain";
    public static final String REGISTRATION_GROUP = "istio.io/autoRegistrationGroup";
    public static final String CONNECT_STRATEGY = "istio.io/connect-strategy";
    public static final String HAIRPIN = "fathom.io/hairpin";
    public static final String REQUIRE_WAYPOINT = "fathom.io/require-waypoint";

    private Markers() {}
}
