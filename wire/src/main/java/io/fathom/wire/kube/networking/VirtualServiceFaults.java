// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.networking;

import io.fathom.wire.http2.GrpcRefusal;
import io.fathom.wire.kube.manifest.Durations;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Abort;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Delay;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Fault;
import io.fathom.wire.kube.tree.Field;
import java.util.Optional;

/// Reads the faults that VirtualServices put in.
final class VirtualServiceFaults {
    private VirtualServiceFaults() {}

    static Optional<Fault> read(Field fault) {
        var delay = delay(fault.at("delay"));
        var abort = abort(fault.at("abort"));
        return delay.isEmpty() && abort.isEmpty() ? Optional.empty() : Optional.of(new Fault(delay, abort));
    }

    private static Optional<Delay> delay(Field delay) {
        if (!delay.isPresent()) {
            return Optional.empty();
        }
        var duration = Durations.decimal(delay.at("fixedDelay"));
        if (duration.isEmpty()) {
            throw delay.at("fixedDelay").missing("say how long, like 5s");
        }
        return Optional.of(new Delay(duration.get(), percent(delay)));
    }

    private static Optional<Abort> abort(Field abort) {
        if (!abort.isPresent()) {
            return Optional.empty();
        }
        if (abort.at("grpcStatus").isPresent()) {
            return Optional.of(new Abort(Abort.Protocol.GRPC, grpcStatus(abort.at("grpcStatus")), percent(abort)));
        }
        return Optional.of(
                new Abort(Abort.Protocol.HTTP, abort.at("httpStatus").requiredInteger(200, 599), percent(abort)));
    }

    private static int grpcStatus(Field status) {
        var index = GrpcRefusal.NAMES.indexOf(status.text());
        if (index < 0) {
            throw status.wrong(
                    "manifest-unknown-value",
                    "is \"" + status.text() + "\", which is no status of gRPC",
                    "write it like UNAVAILABLE");
        }
        return index;
    }

    /// All requests when nothing is said.
    private static double percent(Field fault) {
        if (fault.at("percentage").isPresent()) {
            return VirtualServiceHttp.percent(fault.at("percentage").at("value"));
        }
        return fault.at("percent").isPresent() ? VirtualServiceHttp.percent(fault.at("percent")) : 100;
    }
}
