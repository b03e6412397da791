// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.ca;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.auth.CredentialsReader;
import io.fathom.wire.proto.ca.IstioCertificateServiceGrpc;
import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Orders certificates with the stub that gRPC generates, as other clients do: a peer for tests of the service that
/// shares nothing with [CertificateConnection]. Blocks its caller; any number of threads.
public final class GrpcCaClient {
    private final Channel channel;
    private final Supplier<Optional<String>> bearerToken;
    private final String clusterId;
    private final Duration timeout;

    /// A client of the service behind `channel`, which the caller closes.
    ///
    /// @param bearerToken asked at every call, as tokens are renewed; empty if a client certificate speaks for us
    /// @param clusterId the cluster the token is from
    public GrpcCaClient(Channel channel, Supplier<Optional<String>> bearerToken, String clusterId, Duration timeout) {
        this.channel = channel;
        this.bearerToken = bearerToken;
        this.clusterId = clusterId;
        this.timeout = timeout;
    }

    /// The chain as it came: leaf, intermediates, roots.
    ///
    /// @throws ProblemException whose code is `ca-` and the gRPC status
    public List<String> create(CertificateOrder order) {
        var headers = new Metadata();
        headers.put(CredentialsReader.CLUSTER, clusterId);
        bearerToken.get().ifPresent(token -> headers.put(CredentialsReader.AUTHORIZATION, "Bearer " + token));
        try {
            return IstioCertificateServiceGrpc.newBlockingStub(channel)
                    .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                    .withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS)
                    .createCertificate(OrderCodec.encode(order))
                    .getCertChainList();
        } catch (StatusRuntimeException e) {
            throw new ProblemException(OrderCodec.problem(e.getStatus()));
        }
    }
}
