// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import com.google.protobuf.BoolValue;
import io.envoyproxy.envoy.config.route.v3.RouteAction.RequestMirrorPolicy;
import io.envoyproxy.envoy.type.v3.FractionalPercent;
import java.util.Optional;

/// Where copies of requests go.
final class Mirrors {
    private Mirrors() {}

    /// Empty when there is nothing to send, or nobody to send it to: a copy must not disturb the original.
    static Optional<RequestMirrorPolicy> of(Backend backend, FractionalPercent fraction) {
        if (!backend.isKnown() || fraction.getNumerator() == 0) {
            return Optional.empty();
        }
        return Optional.of(RequestMirrorPolicy.newBuilder()
                .setCluster(backend.cluster())
                .setRuntimeFraction(Fractions.fixed(fraction))
                .setTraceSampled(BoolValue.of(false))
                .build());
    }
}
