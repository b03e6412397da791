// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import com.google.protobuf.UInt32Value;
import com.google.protobuf.UnknownFieldSet;
import io.envoyproxy.envoy.config.cluster.v3.CircuitBreakers;
import io.envoyproxy.envoy.config.cluster.v3.CircuitBreakers.Thresholds;
import io.envoyproxy.envoy.config.cluster.v3.UpstreamConnectionOptions;
import io.envoyproxy.envoy.config.core.v3.TcpKeepalive;
import io.envoyproxy.envoy.type.v3.Percent;
import io.fathom.wire.kube.meshconfig.MeshTraffic;
import io.fathom.wire.kube.traffic.TrafficPolicy;
import io.fathom.wire.kube.traffic.TrafficPolicy.ConnectionPool;
import io.fathom.wire.kube.traffic.TrafficPolicy.Keepalive;
import io.fathom.wire.kube.traffic.TrafficPolicy.RetryBudget;
import java.util.Optional;
import java.util.OptionalInt;

/// How many connections and requests a cluster may have. Envoy's own defaults are low, so there is no limit that nobody
/// asked for. Pure.
final class ConnectionLimits {
    private static final UInt32Value MOST = UInt32Value.of(-1); // unsigned
    private static final double BUDGET_PERCENT = 20;
    private static final int BUDGET_LEAST = 3;
    /// A field that Envoy's Java API does not know yet.
    private static final int BUDGET_INTERVAL = 3;

    static final CircuitBreakers UNLIMITED = of(TrafficPolicy.NONE);

    private ConnectionLimits() {}

    static CircuitBreakers of(TrafficPolicy policy) {
        var pool = policy.connectionPool();
        var limits = Thresholds.newBuilder()
                .setMaxConnections(limit(pool.map(own -> own.tcp().maxConnections())))
                .setMaxPendingRequests(limit(pool.map(own -> own.http().maxPendingRequests())))
                .setMaxRequests(limit(pool.map(own -> own.http().maxRequests())))
                .setMaxRetries(limit(pool.map(own -> own.http().maxRetries())))
                .setTrackRemaining(true);
        policy.retryBudget().ifPresent(budget -> limits.setRetryBudget(budget(budget)));
        return CircuitBreakers.newBuilder().addThresholds(limits).build();
    }

    private static UInt32Value limit(Optional<OptionalInt> wanted) {
        var number = wanted.orElse(OptionalInt.empty());
        return number.isPresent() && number.getAsInt() > 0 ? Protos.number(number.getAsInt()) : MOST;
    }

    private static Thresholds.RetryBudget budget(RetryBudget budget) {
        var result = Thresholds.RetryBudget.newBuilder()
                .setBudgetPercent(Percent.newBuilder().setValue(budget.percent().orElse(BUDGET_PERCENT)))
                .setMinRetryConcurrency(Protos.number(budget.minConcurrency().orElse(BUDGET_LEAST)));
        budget.interval()
                .ifPresent(interval -> result.setUnknownFields(UnknownFieldSet.newBuilder()
                        .addField(
                                BUDGET_INTERVAL,
                                UnknownFieldSet.Field.newBuilder()
                                        .addLengthDelimited(
                                                Protos.duration(interval).toByteString())
                                        .build())
                        .build()));
        return result.build();
    }

    /// What a rule says counts more than what the mesh does.
    static Optional<UpstreamConnectionOptions> keepalive(TrafficPolicy policy, MeshTraffic mesh) {
        return policy.connectionPool()
                .map(ConnectionPool::tcp)
                .flatMap(TrafficPolicy.TcpPool::keepalive)
                .or(mesh::keepalive)
                .map(ConnectionLimits::keepalive);
    }

    private static UpstreamConnectionOptions keepalive(Keepalive wanted) {
        var keepalive = TcpKeepalive.newBuilder();
        wanted.probes().ifPresent(probes -> keepalive.setKeepaliveProbes(Protos.number(probes)));
        wanted.time().ifPresent(time -> keepalive.setKeepaliveTime(Protos.number((int) time.toSeconds())));
        wanted.interval()
                .ifPresent(interval -> keepalive.setKeepaliveInterval(Protos.number((int) interval.toSeconds())));
        return UpstreamConnectionOptions.newBuilder().setTcpKeepalive(keepalive).build();
    }
}
