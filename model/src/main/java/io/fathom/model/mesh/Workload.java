// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// One instance that can send or take traffic: a pod, a virtual machine, an address behind a service.
/// The same for every client. Text that is absent is empty.
///
/// @param trustDomain empty when it is the default `cluster.local`
/// @param services ports by service key; an empty list keeps the membership
/// @param authorizationPolicies keys of the selector-based policies that apply
/// @param capacity relative share of the load; 0 means unset
/// @param hairpin only meant with a waypoint
public record Workload(
        String uid,
        String name,
        String namespace,
        List<Ip> addresses,
        String hostname,
        String network,
        TunnelProtocol tunnelProtocol,
        NativeTunnel nativeTunnel,
        String trustDomain,
        String serviceAccount,
        Optional<GatewayAddress> waypoint,
        Optional<GatewayAddress> networkGateway,
        String node,
        String canonicalName,
        String canonicalRevision,
        Type type,
        String workloadName,
        List<String> authorizationPolicies,
        Health health,
        String clusterId,
        Map<String, List<Port>> services,
        Optional<ApplicationTunnel> applicationTunnel,
        Locality locality,
        NetworkMode networkMode,
        int capacity,
        Hairpin hairpin)
        implements Address {

    public enum TunnelProtocol {
        NONE,
        HBONE,
        LEGACY_ISTIO_MTLS
    }

    /// Whether the workload takes tunnel traffic itself.
    public enum NativeTunnel {
        NO,
        YES
    }

    public enum Type {
        DEPLOYMENT,
        CRONJOB,
        POD,
        JOB
    }

    public enum Health {
        HEALTHY,
        UNHEALTHY
    }

    public enum NetworkMode {
        STANDARD,
        HOST_NETWORK
    }

    /// Whether plain connections that others make to the workload itself are sent through its waypoint.
    public enum Hairpin {
        NO,
        YES
    }

    /// How traffic is handed to a gateway's own pod.
    public record ApplicationTunnel(Protocol protocol, int port) {
        public enum Protocol {
            NONE,
            PROXY
        }
    }

    public Workload {
        addresses = List.copyOf(addresses);
        authorizationPolicies = List.copyOf(authorizationPolicies);
        services = Map.copyOf(services);
    }

    /// Who the workload is to its peers, with the defaults of the wire filled in; empty without a namespace.
    public Optional<Identity> identity() {
        return namespace.isEmpty()
                ? Optional.empty()
                : Optional.of(new Identity(
                        trustDomain.isEmpty() ? "cluster.local" : trustDomain,
                        namespace,
                        serviceAccount.isEmpty() ? "default" : serviceAccount));
    }

    @Override
    public String resourceName() {
        return uid;
    }

    @Override
    public List<String> aliases() {
        return addresses.stream().map(ip -> network + "/" + ip).toList();
    }

    @Override
    public Set<GatewayAddress> waypoints() {
        return waypoint.map(Set::of).orElse(Set.of());
    }

    @Override
    public Workload throughWaypointsOf(Address other) {
        return other instanceof Workload old
                ? new Workload(
                        uid,
                        name,
                        namespace,
                        addresses,
                        hostname,
                        network,
                        tunnelProtocol,
                        nativeTunnel,
                        trustDomain,
                        serviceAccount,
                        old.waypoint(),
                        networkGateway,
                        node,
                        canonicalName,
                        canonicalRevision,
                        type,
                        workloadName,
                        authorizationPolicies,
                        health,
                        clusterId,
                        services,
                        applicationTunnel,
                        locality,
                        networkMode,
                        capacity,
                        hairpin)
                : this;
    }
}
