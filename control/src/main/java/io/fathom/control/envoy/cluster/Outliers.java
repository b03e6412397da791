// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.cluster.v3.OutlierDetection;
import io.fathom.wire.kube.traffic.TrafficPolicy.OutlierDetection.LocalErrors;

/// When endpoints are left alone for a while. Pure.
final class Outliers {
    private static final UInt32Value ALWAYS = UInt32Value.of(100);
    private static final UInt32Value NEVER = UInt32Value.of(0);

    private Outliers() {}

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
