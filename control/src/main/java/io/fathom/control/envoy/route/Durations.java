// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import com.google.protobuf.Duration;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteAction.MaxStreamDuration;

/// Durations as messages.
final class Durations {
    private Durations() {}

    /// How long a request may take; zero for as long as it likes, in which case calls may set a limit of their own.
    /// Envoy forgets `timeout` where `max_stream_duration` is set, so only one of both is ever meant.
    static void writeTimeout(java.time.Duration timeout, RouteAction.Builder action) {
        action.setTimeout(of(timeout));
        if (timeout.isZero()) {
            action.setMaxStreamDuration(
                    MaxStreamDuration.newBuilder().setGrpcTimeoutHeaderMax(Duration.getDefaultInstance()));
        }
    }

    static Duration of(java.time.Duration duration) {
        return Duration.newBuilder()
                .setSeconds(duration.getSeconds())
                .setNanos(duration.getNano())
                .build();
    }
}
