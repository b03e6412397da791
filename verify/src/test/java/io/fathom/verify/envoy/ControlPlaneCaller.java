// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.RequestWriter;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.proto.ca.IstioCertificateRequest;
import io.fathom.wire.proto.ca.IstioCertificateServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/// Asks a control plane with nothing but a certificate, whoever has issued that.
final class ControlPlaneCaller implements AutoCloseable {
    private static final long PATIENCE = 30;

    private final ManagedChannel channel;

    ControlPlaneCaller(TlsIdentity own, String host, int port) throws SSLException {
        channel = NettyChannelBuilder.forAddress(host, port)
                .sslContext(GrpcSslContexts.forClient()
                        .keyManager(own.key(), own.chain())
                        .trustManager(InsecureTrustManagerFactory.INSTANCE)
                        .build())
                .overrideAuthority("istiod.istio-system.svc")
                .build();
    }

    /// What becomes of an order for a certificate with that name.
    Status.Code order(Identity identity) {
        var csr = RequestWriter.write(KeyAlgorithm.P256.generate(), List.of(identity.uri()));
        try {
            var _ = IstioCertificateServiceGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(PATIENCE, TimeUnit.SECONDS)
                    .createCertificate(IstioCertificateRequest.newBuilder()
                            .setCsr(csr)
                            .setValidityDuration(3600)
                            .build());
            return Status.Code.OK;
        } catch (StatusRuntimeException e) {
            return e.getStatus().getCode();
        }
    }

    /// What becomes of a subscription, by somebody who says to be what its certificate says.
    Status.Code ask(Identity identity, String type) {
        var answer = new CompletableFuture<Status.Code>();
        var requests = AggregatedDiscoveryServiceGrpc.newStub(channel)
                .deltaAggregatedResources(new StreamObserver<DeltaDiscoveryResponse>() {
                    @Override
                    public void onNext(DeltaDiscoveryResponse response) {
                        answer.complete(Status.Code.OK);
                    }

                    @Override
                    public void onError(Throwable failure) {
                        answer.complete(Status.fromThrowable(failure).getCode());
                    }

                    @Override
                    public void onCompleted() {
                        answer.complete(Status.Code.CANCELLED);
                    }
                });
        requests.onNext(DeltaDiscoveryRequest.newBuilder()
                .setNode(node(identity))
                .setTypeUrl(type)
                .addResourceNamesSubscribe("*")
                .build());
        return answer.orTimeout(PATIENCE, TimeUnit.SECONDS).join();
    }

    private static Node node(Identity identity) {
        var namespace = identity.namespace();
        return Node.newBuilder()
                .setId("ztunnel~192.0.2.1~one." + namespace + "~" + namespace + ".svc.cluster.local")
                .setMetadata(Struct.newBuilder()
                        .putFields("NAMESPACE", text(namespace))
                        .putFields("SERVICE_ACCOUNT", text(identity.serviceAccount())))
                .build();
    }

    private static Value text(String value) {
        return Value.newBuilder().setStringValue(value).build();
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
