// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import io.fathom.model.mesh.PodResolver;
import io.fathom.model.mesh.Workload;
import java.util.List;
import java.util.Optional;

/// How names are understood.
///
/// @param clusterDomain such as `cluster.local`
/// @param preferredNamespace whose services win among those of other namespaces
/// @param searchDomains instead of those that Kubernetes gives by default
/// @param ofPod what the pod says itself
public record DnsConfig(
        String clusterDomain,
        Optional<String> preferredNamespace,
        Ipv6 ipv6,
        Optional<List<String>> searchDomains,
        PodResolver ofPod) {
    /// Whether IPv6 addresses are given out.
    public enum Ipv6 {
        OFF,
        ON
    }

    public DnsConfig {
        searchDomains = searchDomains.map(List::copyOf);
    }

    public static DnsConfig of(String clusterDomain) {
        return new DnsConfig(clusterDomain, Optional.empty(), Ipv6.ON, Optional.empty(), PodResolver.NONE);
    }

    /// The same for a pod that says something about DNS itself.
    public DnsConfig of(PodResolver pod) {
        return new DnsConfig(clusterDomain, preferredNamespace, ipv6, searchDomains, pod);
    }

    String serviceDomain() {
        return "svc." + clusterDomain;
    }

    DnsClient client(Workload workload) {
        var defaults = searchDomains.orElseGet(
                () -> List.of(workload.namespace() + "." + serviceDomain(), serviceDomain(), clusterDomain));
        return new DnsClient(
                workload.namespace(),
                workload.network(),
                PodResolver.merged(ofPod.role(), defaults, ofPod.searchDomains()));
    }
}
