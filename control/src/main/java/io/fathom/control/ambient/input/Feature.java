// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.input;

/// A switch of the control plane, known by upstream's environment variable.
public enum Feature {
    /// There are several networks, whatever Gateways say; and endpoints that our own objects put on other networks are
    /// folded behind the gateways of those.
    MULTI_NETWORK("AMBIENT_ENABLE_MULTI_NETWORK", false),
    /// There are several networks, whatever Gateways say: clusters are linked by Gateways.
    PEERING("ENABLE_PEERING_DISCOVERY", false),
    /// Where there are several networks, also waypoints reach endpoints on the others.
    MULTI_NETWORK_WAYPOINT("AMBIENT_ENABLE_MULTI_NETWORK_WAYPOINT", true),
    /// Likewise ingress gateways.
    MULTI_NETWORK_INGRESS("AMBIENT_ENABLE_MULTI_NETWORK_INGRESS", true),
    /// Each service that belongs to all clusters has a name that means the same in all of them. Ours.
    MESH_WIDE_NAMES("FATHOM_MESH_WIDE_NAMES", true),
    /// Each service that a ServiceExport exports has the name that the Multi-Cluster Services API gives it.
    MCS_HOSTS("ENABLE_MCS_HOST", true),
    /// The name that such a service has in Kubernetes means all clusters, too.
    MCS_DISCOVERY("ENABLE_MCS_SERVICE_DISCOVERY", false),
    /// Unless this is on: then it means those of its own cluster, as in that API.
    MCS_CLUSTER_LOCAL("ENABLE_MCS_CLUSTER_LOCAL", false),
    /// Every service counts as exported.
    MCS_AUTO_EXPORT("ENABLE_MCS_AUTO_EXPORT", false),
    /// ServiceEntries select pods, too.
    ENTRIES_SELECT_PODS("PILOT_ENABLE_SERVICEENTRY_SELECT_PODS", true),
    /// Services select WorkloadEntries, too.
    SERVICES_SELECT_ENTRIES("PILOT_ENABLE_K8S_SELECT_WORKLOAD_ENTRIES", true),
    /// Workloads with a waypoint let that waypoint in, whatever their policies say.
    AUTO_ALLOW_WAYPOINT("PILOT_AUTO_ALLOW_WAYPOINT_POLICY", false),
    /// Pods with a waypoint take calls through it only, where its Gateway does not say otherwise. Ours.
    REQUIRE_WAYPOINT("FATHOM_REQUIRE_WAYPOINT", false),
    /// Policies marked as a dry run are served and only report what they would do.
    DRY_RUN_AUTHORIZATION("AMBIENT_ENABLE_DRY_RUN_AUTHORIZATION_POLICY", false),
    /// DENY rules with HTTP attributes that node proxies cannot check deny as if those were not written. Ours.
    DENY_UNENFORCEABLE_RULES("FATHOM_DENY_UNENFORCEABLE_RULES", false),
    /// CUSTOM policies of one service may name different providers, and each of them is asked.
    SEVERAL_CUSTOM_PROVIDERS("PILOT_ENABLE_MULTIPLE_CUSTOM_AUTHZ_PROVIDERS", false),
    /// ServiceEntries without addresses get some.
    ADDRESS_ALLOCATION("PILOT_ENABLE_IP_AUTOALLOCATE", true),
    /// Those addresses are served as soon as they are planned, not only once the status of their entry names them. For
    /// a folder, which nobody writes to; control planes of one cluster would serve different ones.
    SERVE_PLANNED_ADDRESSES("FATHOM_SERVE_PLANNED_ADDRESSES", true),
    /// Services that are written without an address wait until a later folder has it. For `bin/up`.
    LATER_ADDRESSES("FATHOM_LATER_ADDRESSES", false),
    /// Keys of TLS are exchanged with X25519MLKEM768 only: `COMPLIANCE_POLICY=pqc`.
    POST_QUANTUM_TLS("FATHOM_POST_QUANTUM_TLS", false),
    /// Keys of TLS are exchanged with P-256 and P-384 only: `COMPLIANCE_POLICY=fips-140-2`.
    FIPS_TLS("FATHOM_FIPS_TLS", false),
    /// Secrets and ConfigMaps with certificates come one by one, as somebody names them. For an API server; a folder
    /// gives all that it has.
    SECRETS_BY_NAME("FATHOM_SECRETS_BY_NAME", false);

    private final String variable;
    private final boolean onByDefault;

    Feature(String variable, boolean onByDefault) {
        this.variable = variable;
        this.onByDefault = onByDefault;
    }

    public String variable() {
        return variable;
    }

    public boolean onByDefault() {
        return onByDefault;
    }
}
