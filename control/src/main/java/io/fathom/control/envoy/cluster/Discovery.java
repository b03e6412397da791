// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.CustomClusterType;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.DiscoveryType;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.DnsLookupFamily;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.EdsClusterConfig;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.LbPolicy;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.RefreshRate;
import io.envoyproxy.envoy.extensions.clusters.dynamic_forward_proxy.v3.ClusterConfig;
import io.envoyproxy.envoy.extensions.common.dynamic_forward_proxy.v3.DnsCacheConfig;
import io.fathom.control.envoy.view.Ads;
import io.fathom.control.envoy.view.Member;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.wire.kube.traffic.TrafficPolicy;
import java.util.List;
import java.util.function.Supplier;

/// How a cluster finds its endpoints. Pure.
final class Discovery {
    private static final Duration REFRESH = Duration.newBuilder().setSeconds(60).build();
    private static final RefreshRate AFTER_FAILURE = RefreshRate.newBuilder()
            .setBaseInterval(Duration.newBuilder().setSeconds(1))
            .setMaxInterval(Duration.newBuilder().setSeconds(15))
            .build();

    private Discovery() {}

    static void apply(
            Cluster.Builder cluster,
            MeshService service,
            TrafficPolicy policy,
            EndpointPlan plan,
            Supplier<List<Member>> members) {
        switch (service.resolution()) {
            case ENDPOINTS -> {
                if (LoadBalancers.isPassthrough(policy)) {
                    originalDestination(cluster);
                } else {
                    cluster.setType(DiscoveryType.EDS)
                            .setEdsClusterConfig(EdsClusterConfig.newBuilder()
                                    .setEdsConfig(Ads.SOURCE)
                                    .setServiceName(cluster.getName()));
                }
            }
            case NONE -> originalDestination(cluster);
            case DNS ->
                dns(
                        cluster,
                        races(service) ? DiscoveryType.LOGICAL_DNS : DiscoveryType.STRICT_DNS,
                        service,
                        plan,
                        members);
            case DNS_ROUND_ROBIN -> dns(cluster, DiscoveryType.LOGICAL_DNS, service, plan, members);
            case DYNAMIC_DNS ->
                // What TLS proves is said by rules of users alone, so Envoy need not insist on names of requests.
                cluster.setLbPolicy(LbPolicy.CLUSTER_PROVIDED)
                        .clearLeastRequestLbConfig()
                        .setClusterType(CustomClusterType.newBuilder()
                                .setName("envoy.clusters.dynamic_forward_proxy")
                                .setTypedConfig(Any.pack(ClusterConfig.newBuilder()
                                        .setDnsCacheConfig(cache(service))
                                        .setAllowInsecureClusterOptions(true)
                                        .build())));
        }
    }

    /// Shared by the clusters and filters of a service: they find each other by its name and must agree in all else.
    static DnsCacheConfig cache(MeshService service) {
        return DnsCacheConfig.newBuilder()
                .setName(service.hostname() + "_dfp_dns_cache")
                .setDnsLookupFamily(DnsLookupFamily.V4_PREFERRED)
                .setDnsRefreshRate(REFRESH)
                .setHostTtl(Duration.newBuilder().setSeconds(300))
                .build();
    }

    /// Whether Envoy tries several addresses of a name at once, and takes the first that answers.
    private static boolean races(MeshService service) {
        return service.metadata()
                .annotations()
                .getOrDefault("istio.io/connect-strategy", "")
                .equalsIgnoreCase("RACE_FIRST_TCP_CONNECT");
    }

    private static void originalDestination(Cluster.Builder cluster) {
        cluster.setType(DiscoveryType.ORIGINAL_DST).setLbPolicy(LbPolicy.CLUSTER_PROVIDED);
    }

    @SuppressWarnings("deprecation") // its successor is not in every Envoy that we serve
    private static void dns(
            Cluster.Builder cluster,
            DiscoveryType type,
            MeshService service,
            EndpointPlan plan,
            Supplier<List<Member>> members) {
        cluster.setType(type)
                .setDnsLookupFamily(races(service) ? DnsLookupFamily.ALL : DnsLookupFamily.V4_PREFERRED)
                .setDnsRefreshRate(REFRESH)
                .setDnsFailureRefreshRate(AFTER_FAILURE)
                .setRespectDnsTtl(true)
                .setLoadAssignment(NamedEndpoints.of(plan, service, members.get(), type));
    }
}
