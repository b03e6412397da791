// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.OutlierDetection;
import io.envoyproxy.envoy.type.v3.Percent;
import io.fathom.wire.kube.traffic.TrafficPolicy.OutlierDetection.LocalErrors;
import java.time.Duration;

/// When endpoints are left alone for a while. Pure.
final class Outliers {
    private static final UInt32Value ALWAYS = UInt32Value.of(100);
    private static final UInt32Value NEVER = UInt32Value.of(0);
    private static final int FAILURES_ON_THE_WAY = 2;

    private Outliers() {}

    /// Of errors that mean that nobody is there: 502 to 504, as which a tunnel counts that was not opened. Where
    /// nothing is left, all are tried. Envoy cannot tell errors on the way apart here: to it the way is an internal
    /// listener, which always answers, and each such success would wipe out the failures before.
    static Cluster passingOverGateways(Cluster cluster) {
        var detection = OutlierDetection.newBuilder()
                .setConsecutiveGatewayFailure(Protos.number(FAILURES_ON_THE_WAY))
                .setEnforcingConsecutiveGatewayFailure(ALWAYS)
                .setEnforcingConsecutive5Xx(NEVER)
                .setEnforcingSuccessRate(NEVER)
                .setInterval(Protos.duration(Duration.ofSeconds(1)))
                .setBaseEjectionTime(Protos.duration(Duration.ofSeconds(5)))
                .setMaxEjectionTime(Protos.duration(Duration.ofSeconds(15)))
                .setMaxEjectionPercent(ALWAYS);
        var changed = cluster.toBuilder().setOutlierDetection(detection);
        changed.getCommonLbConfigBuilder()
                .setHealthyPanicThreshold(Percent.newBuilder().setValue(1));
        return changed.build();
    }

    static OutlierDetection of(io.fathom.wire.kube.traffic.TrafficPolicy.OutlierDetection wanted) {
        var detection = OutlierDetection.newBuilder().setEnforcingSuccessRate(NEVER);
        wanted.consecutive5xx()
                .ifPresent(count -> detection
                        .setConsecutive5Xx(Protos.number(count))
                        .setEnforcingConsecutive5Xx(count > 0 ? ALWAYS : NEVER));
        wanted.consecutiveGatewayErrors()
                .ifPresent(count -> detection
                        .setConsecutiveGatewayFailure(Protos.number(count))
                        .setEnforcingConsecutiveGatewayFailure(count > 0 ? ALWAYS : NEVER));
        wanted.interval().ifPresent(time -> detection.setInterval(Protos.duration(time)));
        wanted.baseEjectionTime().ifPresent(time -> detection.setBaseEjectionTime(Protos.duration(time)));
        wanted.maxEjectionPercent().ifPresent(most -> detection.setMaxEjectionPercent(Protos.number(most)));
        if (wanted.localErrors() == LocalErrors.APART) {
            detection.setSplitExternalLocalOriginErrors(true).setEnforcingLocalOriginSuccessRate(NEVER);
            wanted.consecutiveLocalFailures()
                    .ifPresent(count -> detection
                            .setConsecutiveLocalOriginFailure(Protos.number(count))
                            .setEnforcingConsecutiveLocalOriginFailure(count > 0 ? ALWAYS : NEVER));
        }
        return detection.build();
    }
}
