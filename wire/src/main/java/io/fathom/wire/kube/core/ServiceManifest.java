// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.core;

import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Transport;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A Service.
///
/// @param clusterIps its virtual addresses; empty when headless, and where nobody has given it any yet
/// @param headless whether it wants none
/// @param selector empty when its endpoints are written by hand
/// @param trafficDistribution empty when not set
/// @param ingress what a load balancer gave it
/// @param affinity for how many seconds a client stays with an endpoint; empty where it need not
public record ServiceManifest(
        Metadata metadata,
        Type type,
        List<Ip> clusterIps,
        Headless headless,
        List<Ip.Family> ipFamilies,
        Map<String, String> selector,
        List<ServicePort> ports,
        TrafficPolicy internalTrafficPolicy,
        String trafficDistribution,
        boolean publishNotReadyAddresses,
        List<GatewayManifest.Address> ingress,
        Optional<Integer> affinity)
        implements Manifest {

    public enum Type {
        CLUSTER_IP,
        NODE_PORT,
        LOAD_BALANCER,
        EXTERNAL_NAME
    }

    public enum Headless {
        NO,
        YES
    }

    public enum TrafficPolicy {
        CLUSTER,
        LOCAL
    }

    /// A port; `appProtocol` is empty when not set.
    public record ServicePort(String name, int number, Transport transport, Target target, String appProtocol) {}

    /// Where a port leads.
    public sealed interface Target {
        record ByNumber(int port) implements Target {}

        record ByName(String port) implements Target {}
    }

    public ServiceManifest {
        clusterIps = List.copyOf(clusterIps);
        ipFamilies = List.copyOf(ipFamilies);
        selector = Map.copyOf(selector);
        ports = List.copyOf(ports);
        ingress = List.copyOf(ingress);
    }

    /// Whether somebody has yet to give it an address. An API server does so before anybody sees the Service.
    public boolean awaitsAddress() {
        return clusterIps.isEmpty() && headless == Headless.NO && type != Type.EXTERNAL_NAME;
    }
}
