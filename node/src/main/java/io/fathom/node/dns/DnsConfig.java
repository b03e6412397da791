package io.fathom.node.dns;

import io.fathom.model.mesh.Workload;
import java.util.List;
import java.util.Optional;

/// How names are understood.
///
/// @param clusterDomain such as `cluster.local`
/// @param preferredNamespace whose services win among those of other namespaces
/// @param searchDomains of the pod's own DNS configuration; those that Kubernetes gives by default if empty
public record DnsConfig(
        String clusterDomain, Optional<String> preferredNamespace, Ipv6 ipv6, Optional<List<String>> searchDomains) {
    /// Whether IPv6 addresses are given out.
    public enum Ipv6 {
        OFF,
        ON
    }

    public DnsConfig {
        searchDomains = searchDomains.map(List::copyOf);
    }

    public static DnsConfig of(String clusterDomain) {
        return new DnsConfig(clusterDomain, Optional.empty(), Ipv6.ON, Optional.empty());
    }

    String serviceDomain() {
        return "svc." + clusterDomain;
    }

    DnsClient client(Workload workload) {
        return new DnsClient(
                workload.namespace(),
                workload.network(),
                searchDomains.orElseGet(
                        () -> List.of(workload.namespace() + "." + serviceDomain(), serviceDomain(), clusterDomain)));
    }
}
