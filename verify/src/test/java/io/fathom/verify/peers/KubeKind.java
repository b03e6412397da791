// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.peers;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;

/// The kinds that tests apply and list, with their place in the API.
public enum KubeKind {
    NAMESPACE("Namespace", "v1", "namespaces", Scope.CLUSTER),
    NODE("Node", "v1", "nodes", Scope.CLUSTER),
    CONFIG_MAP("ConfigMap", "v1", "configmaps", Scope.NAMESPACED),
    POD("Pod", "v1", "pods", Scope.NAMESPACED),
    SERVICE("Service", "v1", "services", Scope.NAMESPACED),
    ENDPOINT_SLICE("EndpointSlice", "discovery.k8s.io/v1", "endpointslices", Scope.NAMESPACED),
    GATEWAY_CLASS("GatewayClass", "gateway.networking.k8s.io/v1", "gatewayclasses", Scope.CLUSTER),
    GATEWAY("Gateway", "gateway.networking.k8s.io/v1", "gateways", Scope.NAMESPACED),
    SERVICE_ENTRY("ServiceEntry", "networking.istio.io/v1", "serviceentries", Scope.NAMESPACED),
    WORKLOAD_ENTRY("WorkloadEntry", "networking.istio.io/v1", "workloadentries", Scope.NAMESPACED),
    AUTHORIZATION_POLICY("AuthorizationPolicy", "security.istio.io/v1", "authorizationpolicies", Scope.NAMESPACED),
    PEER_AUTHENTICATION("PeerAuthentication", "security.istio.io/v1", "peerauthentications", Scope.NAMESPACED),
    REQUEST_AUTHENTICATION("RequestAuthentication", "security.istio.io/v1", "requestauthentications", Scope.NAMESPACED);

    private enum Scope {
        CLUSTER,
        NAMESPACED
    }

    private final String kind;
    private final String apiVersion;
    private final String plural;
    private final Scope scope;

    KubeKind(String kind, String apiVersion, String plural, Scope scope) {
        this.kind = kind;
        this.apiVersion = apiVersion;
        this.plural = plural;
        this.scope = scope;
    }

    public String kind() {
        return kind;
    }

    public String apiVersion() {
        return apiVersion;
    }

    static KubeKind of(JsonNode object) {
        var kind = object.path("kind").asText();
        return Arrays.stream(values())
                .filter(each -> each.kind.equals(kind))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such kind here: " + kind));
    }

    /// The collection in all namespaces.
    String listPath() {
        return root() + "/" + plural;
    }

    String path(String namespace, String name) {
        return scope == Scope.CLUSTER
                ? root() + "/" + plural + "/" + name
                : root() + "/namespaces/" + namespace + "/" + plural + "/" + name;
    }

    private String root() {
        return (apiVersion.contains("/") ? "/apis/" : "/api/") + apiVersion;
    }
}
