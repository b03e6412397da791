package io.fathom.control.deploy;

import io.fathom.wire.kube.GatewayManifest.Address;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.tree.Field;
import java.util.ArrayList;
import java.util.List;

/// Where a Service can be reached.
///
/// @param clusterIps without `None`
/// @param ingress what a load balancer gave it
record ServiceView(String namespace, String name, String type, List<String> clusterIps, List<Address> ingress) {
    ServiceView {
        clusterIps = List.copyOf(clusterIps);
        ingress = List.copyOf(ingress);
    }

    static ServiceView of(KubeObject service) {
        var spec = service.root().at("spec");
        var ips = spec.at("clusterIPs").isPresent()
                ? spec.at("clusterIPs").texts()
                : List.of(spec.at("clusterIP").text());
        var ingress = new ArrayList<Address>();
        for (var point :
                service.root().at("status").at("loadBalancer").at("ingress").items()) {
            add(ingress, "IPAddress", point.at("ip"));
            add(ingress, "Hostname", point.at("hostname"));
        }
        return new ServiceView(
                service.namespace(),
                service.name(),
                spec.at("type").text("ClusterIP"),
                ips.stream().filter(ip -> !ip.isEmpty() && !ip.equals("None")).toList(),
                ingress);
    }

    private static void add(List<Address> addresses, String type, Field value) {
        if (!value.text().isEmpty()) {
            addresses.add(new Address(type, value.text()));
        }
    }

    /// Its name for clients in the cluster.
    Address hostname(String domain) {
        return new Address("Hostname", name + "." + namespace + ".svc." + domain);
    }
}
