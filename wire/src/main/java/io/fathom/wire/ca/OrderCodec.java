// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.ca;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.wire.proto.ca.IstioCertificateRequest;
import io.grpc.Status;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/// Orders to messages and back, and what a refusal means. Stateless.
final class OrderCodec {
    private static final String IMPERSONATED_IDENTITY = "ImpersonatedIdentity";
    private static final long MAX_SECONDS = Duration.ofDays(365_000).toSeconds();

    private OrderCodec() {}

    static IstioCertificateRequest encode(CertificateOrder order) {
        var request = IstioCertificateRequest.newBuilder()
                .setCsr(order.csr())
                .setValidityDuration(order.lifetime().toSeconds());
        order.impersonatedIdentity().ifPresent(id -> request.setMetadata(metadata(id)));
        return request.build();
    }

    private static Struct metadata(String impersonatedIdentity) {
        return Struct.newBuilder()
                .putFields(
                        IMPERSONATED_IDENTITY,
                        Value.newBuilder().setStringValue(impersonatedIdentity).build())
                .build();
    }

    static CertificateOrder decode(IstioCertificateRequest request) {
        // kept within what can be added to a time; far above every maximum anyway
        var seconds = Math.clamp(request.getValidityDuration(), -1, MAX_SECONDS);
        return new CertificateOrder(request.getCsr(), Duration.ofSeconds(seconds), impersonated(request.getMetadata()));
    }

    private static Optional<String> impersonated(Struct metadata) {
        return Optional.ofNullable(metadata.getFieldsMap().get(IMPERSONATED_IDENTITY))
                .map(Value::getStringValue)
                .filter(value -> !value.isEmpty());
    }

    /// Its code is `ca-` and the gRPC status.
    static Problem problem(Status status) {
        var code = status.getCode();
        var retry = code == Status.Code.INVALID_ARGUMENT ? Retry.POINTLESS : Retry.SENSIBLE;
        return new Problem(
                "ca-" + code.name().toLowerCase(Locale.ROOT).replace('_', '-'),
                "the certificate authority answered " + code + ": " + status.getDescription(),
                "look for the reason in the audit log of the control plane",
                Origin.SERVER,
                retry);
    }
}
