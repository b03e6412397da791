// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

/// The labels and annotations of deployed gateways, spelled as upstream does.
final class GatewayLabels {
    static final String GATEWAY_API = "gateway.networking.k8s.io";

    // labels
    static final String GATEWAY_NAME = "gateway.networking.k8s.io/gateway-name";
    static final String GATEWAY_CLASS_NAME = "gateway.networking.k8s.io/gateway-class-name";
    static final String MANAGED = "gateway.istio.io/managed";
    static final String DEFAULTS_FOR_CLASS = "gateway.istio.io/defaults-for-class";
    static final String NETWORK = "topology.istio.io/network";
    static final String REVISION = "istio.io/rev";
    static final String INJECT = "sidecar.istio.io/inject";
    static final String DATAPLANE_MODE = "istio.io/dataplane-mode";
    static final String CANONICAL_NAME = "service.istio.io/canonical-name";
    static final String CANONICAL_REVISION = "service.istio.io/canonical-revision";

    // annotations
    static final String CONTROLLER_VERSION = "gateway.istio.io/controller-version";
    static final String NAME_OVERRIDE = "gateway.istio.io/name-override";
    static final String SERVICE_ACCOUNT = "gateway.istio.io/service-account";
    static final String SERVICE_TYPE = "networking.istio.io/service-type";
    static final String TRAFFIC_DISTRIBUTION = "networking.istio.io/traffic-distribution";
    static final String PROXY_IMAGE = "sidecar.istio.io/proxyImage";
    static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
    static final String BUNDLE_VERSION = "gateway.networking.k8s.io/bundle-version";

    /// An option of a listener's TLS: the mesh's own certificates instead of Secrets.
    static final String TERMINATE_MODE = "gateway.istio.io/tls-terminate-mode";

    /// Who writes, for the API server.
    static final String MANAGER = "istio.io/gateway-controller";

    private GatewayLabels() {}
}
