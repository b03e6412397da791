// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// One instance that can send or take traffic: a pod, a virtual machine, an address behind a service.
/// The same for every client. Text that is absent is empty.
public record Workload(
        String uid,
        String name,
        String namespace,
        WorkloadNetwork reachedAt,
        WorkloadTunnel tunnel,
        WorkloadSecurity security,
        WorkloadGateways gateways,
        WorkloadPlace place,
        CanonicalService canonical,
        WorkloadOwner owner,
        Health health,
        ServiceMembership membership)
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

    public List<Ip> addresses() {
        return reachedAt.addresses();
    }

    public String hostname() {
        return reachedAt.hostname();
    }

    public String network() {
        return reachedAt.network();
    }

    public NetworkMode networkMode() {
        return reachedAt.mode();
    }

    public TunnelProtocol tunnelProtocol() {
        return tunnel.protocol();
    }

    public NativeTunnel nativeTunnel() {
        return tunnel.nativeTunnel();
    }

    public Optional<ApplicationTunnel> applicationTunnel() {
        return tunnel.application();
    }

    public String trustDomain() {
        return security.trustDomain();
    }

    public String serviceAccount() {
        return security.serviceAccount();
    }

    public List<String> authorizationPolicies() {
        return security.policies();
    }

    public Optional<GatewayAddress> waypoint() {
        return gateways.waypoint();
    }

    public Hairpin hairpin() {
        return gateways.hairpin();
    }

    public Optional<GatewayAddress> networkGateway() {
        return gateways.network();
    }

    public String clusterId() {
        return place.clusterId();
    }

    public String node() {
        return place.node();
    }

    public Locality locality() {
        return place.locality();
    }

    public String canonicalName() {
        return canonical.name();
    }

    public String canonicalRevision() {
        return canonical.revision();
    }

    public Type type() {
        return owner.type();
    }

    public String workloadName() {
        return owner.name();
    }

    public Map<String, List<Port>> services() {
        return membership.services();
    }

    public int capacity() {
        return membership.capacity();
    }

    /// Whether a node proxy takes what it sends and what it is sent.
    public boolean isCaptured() {
        return tunnelProtocol() == TunnelProtocol.HBONE
                && nativeTunnel() == NativeTunnel.NO
                && networkMode() == NetworkMode.STANDARD;
    }

    /// Who the workload is to its peers, with the defaults of the wire filled in; empty without a namespace.
    public Optional<Identity> identity() {
        return namespace.isEmpty()
                ? Optional.empty()
                : Optional.of(new Identity(
                        trustDomain().isEmpty() ? "cluster.local" : trustDomain(),
                        namespace,
                        serviceAccount().isEmpty() ? "default" : serviceAccount()));
    }

    @Override
    public String resourceName() {
        return uid;
    }

    @Override
    public List<String> aliases() {
        return addresses().stream().map(ip -> network() + "/" + ip).toList();
    }

    @Override
    public Set<GatewayAddress> waypoints() {
        return waypoint().map(Set::of).orElse(Set.of());
    }

    /// The same, but not behind those services.
    public Workload outside(Set<String> left) {
        if (left.isEmpty()) {
            return this;
        }
        var kept = new HashMap<>(services());
        kept.keySet().removeAll(left);
        return new Workload(
                uid,
                name,
                namespace,
                reachedAt,
                tunnel,
                security,
                gateways,
                place,
                canonical,
                owner,
                health,
                new ServiceMembership(kept, capacity()));
    }

    /// The same with another capacity and health.
    public Workload able(int capacity, Health state) {
        return new Workload(
                uid,
                name,
                namespace,
                reachedAt,
                tunnel,
                security,
                gateways,
                place,
                canonical,
                owner,
                state,
                new ServiceMembership(services(), capacity));
    }

    @Override
    public Workload throughWaypointsOf(Address other) {
        return other instanceof Workload old
                ? new Workload(
                        uid,
                        name,
                        namespace,
                        reachedAt,
                        tunnel,
                        security,
                        new WorkloadGateways(old.waypoint(), gateways.hairpin(), gateways.network()),
                        place,
                        canonical,
                        owner,
                        health,
                        membership)
                : this;
    }
}
