package io.fathom.control.envoy.route;

import com.google.protobuf.Duration;

/// Durations as messages.
final class Durations {
    private Durations() {}

    static Duration of(java.time.Duration duration) {
        return Duration.newBuilder()
                .setSeconds(duration.getSeconds())
                .setNanos(duration.getNano())
                .build();
    }
}
