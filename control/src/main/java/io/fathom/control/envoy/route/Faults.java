// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.extensions.filters.common.fault.v3.FaultDelay;
import io.envoyproxy.envoy.extensions.filters.http.fault.v3.FaultAbort;
import io.envoyproxy.envoy.extensions.filters.http.fault.v3.HTTPFault;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Abort;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Delay;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Fault;

/// Trouble on purpose.
final class Faults {
    static final String FILTER = "envoy.filters.http.fault";

    private Faults() {}

    static Any of(Fault fault) {
        var out = HTTPFault.newBuilder();
        fault.delay().filter(delay -> !delay.duration().isZero()).ifPresent(delay -> out.setDelay(delay(delay)));
        fault.abort().ifPresent(abort -> out.setAbort(abort(abort)));
        return Any.pack(out.build());
    }

    private static FaultDelay delay(Delay delay) {
        return FaultDelay.newBuilder()
                .setFixedDelay(Durations.of(delay.duration()))
                .setPercentage(Fractions.ofPercent(delay.percent()))
                .build();
    }

    private static FaultAbort abort(Abort abort) {
        var out = FaultAbort.newBuilder().setPercentage(Fractions.ofPercent(abort.percent()));
        return switch (abort.protocol()) {
            case HTTP -> out.setHttpStatus(abort.status()).build();
            case GRPC -> out.setGrpcStatus(abort.status()).build();
        };
    }
}
