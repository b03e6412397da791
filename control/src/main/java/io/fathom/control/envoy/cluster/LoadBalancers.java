// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import com.google.protobuf.UInt64Value;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.CommonLbConfig;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.CommonLbConfig.LocalityWeightedLbConfig;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.LbPolicy;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.LeastRequestLbConfig;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.MaglevLbConfig;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.RingHashLbConfig;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.RoundRobinLbConfig;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.SlowStartConfig;
import io.envoyproxy.envoy.config.core.v3.RuntimeDouble;
import io.envoyproxy.envoy.type.v3.Percent;
import io.fathom.wire.kube.traffic.TrafficPolicy;
import io.fathom.wire.kube.traffic.TrafficPolicy.ConsistentHash;
import io.fathom.wire.kube.traffic.TrafficPolicy.ConsistentHash.HashTable;
import io.fathom.wire.kube.traffic.TrafficPolicy.LoadBalancer;
import io.fathom.wire.kube.traffic.TrafficPolicy.Simple;
import io.fathom.wire.kube.traffic.TrafficPolicy.Warmup;

/// Which endpoint of a cluster gets a request. Pure.
final class LoadBalancers {
    private static final int RING = 1024;
    private static final double LEAST_SHARE = 10;

    private LoadBalancers() {}

    /// Whether requests go to wherever the client wanted.
    static boolean isPassthrough(TrafficPolicy policy) {
        return policy.loadBalancer()
                .flatMap(LoadBalancer::simple)
                .filter(simple -> simple == Simple.PASSTHROUGH)
                .isPresent();
    }

    static void apply(Cluster.Builder cluster, TrafficPolicy policy, Placement placement) {
        var common = CommonLbConfig.newBuilder();
        policy.outlierDetection()
                .ifPresent(outliers -> common.setHealthyPanicThreshold(Percent.newBuilder()
                        .setValue(outliers.minHealthPercent().orElse(0))));
        if (placement instanceof Placement.Shares) {
            common.setLocalityWeightedLbConfig(LocalityWeightedLbConfig.getDefaultInstance());
        }
        cluster.setCommonLbConfig(common);
        var balancer = policy.loadBalancer();
        var hash = balancer.flatMap(LoadBalancer::hash);
        if (hash.isPresent()) {
            hash(cluster, hash.get());
        } else {
            simple(cluster, balancer.flatMap(LoadBalancer::simple).orElse(Simple.UNSPECIFIED));
        }
        balancer.flatMap(LoadBalancer::warmup).ifPresent(warmup -> warmUp(cluster, slowStart(warmup)));
    }

    private static void simple(Cluster.Builder cluster, Simple simple) {
        cluster.setLbPolicy(
                switch (simple) {
                    case UNSPECIFIED, LEAST_REQUEST -> LbPolicy.LEAST_REQUEST;
                    case ROUND_ROBIN -> LbPolicy.ROUND_ROBIN;
                    case RANDOM -> LbPolicy.RANDOM;
                    case PASSTHROUGH -> LbPolicy.CLUSTER_PROVIDED;
                });
    }

    private static void hash(Cluster.Builder cluster, ConsistentHash hash) {
        switch (hash.table()) {
            case HashTable.Ring(var minimum) ->
                cluster.setLbPolicy(LbPolicy.RING_HASH)
                        .setRingHashLbConfig(RingHashLbConfig.newBuilder()
                                .setMinimumRingSize(UInt64Value.of(minimum == 0 ? RING : minimum)));
            case HashTable.Maglev(var size) -> {
                cluster.setLbPolicy(LbPolicy.MAGLEV);
                if (size > 0) {
                    cluster.setMaglevLbConfig(MaglevLbConfig.newBuilder().setTableSize(UInt64Value.of(size)));
                }
            }
        }
    }

    private static void warmUp(Cluster.Builder cluster, SlowStartConfig slowStart) {
        if (cluster.getLbPolicy() == LbPolicy.LEAST_REQUEST) {
            cluster.setLeastRequestLbConfig(LeastRequestLbConfig.newBuilder().setSlowStartConfig(slowStart));
        } else if (cluster.getLbPolicy() == LbPolicy.ROUND_ROBIN) {
            cluster.setRoundRobinLbConfig(RoundRobinLbConfig.newBuilder().setSlowStartConfig(slowStart));
        }
    }

    private static SlowStartConfig slowStart(Warmup warmup) {
        return SlowStartConfig.newBuilder()
                .setSlowStartWindow(Protos.duration(warmup.window()))
                .setAggression(RuntimeDouble.newBuilder()
                        .setDefaultValue(warmup.aggression().orElse(1))
                        .setRuntimeKey("warmup"))
                .setMinWeightPercent(
                        Percent.newBuilder().setValue(warmup.minimumPercent().orElse(LEAST_SHARE)))
                .build();
    }
}
