// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.peering.ClusterSummary;
import io.fathom.model.peering.ServiceEndpoints;
import io.fathom.model.peering.ServiceSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// What is said on streams to one peer, and what is held of it. First the peer says who it is; only if that is who we
/// wanted, we ask for its services, naming the versions we hold, so that a new stream brings the difference and no
/// more. Does no I/O. For one thread.
final class PeerProtocol {
    private final String self;
    private final String namespace;
    private final String account;
    private final String wanted;
    private final PeerSink sink;
    private final Supplier<String> network;
    private final HeldResources<ServiceSummary> services;
    private final HeldResources<ServiceEndpoints> endpoints;
    private boolean introduced;
    private boolean told;
    private boolean asksForEndpoints;

    /// @param self our cluster
    /// @param namespace of our control plane
    /// @param account of our control plane
    /// @param wanted the cluster that the peer should be
    /// @param network that our cluster is on now
    PeerProtocol(
            String self, String namespace, String account, String wanted, Supplier<String> network, PeerSink sink) {
        this.self = self;
        this.namespace = namespace;
        this.account = account;
        this.wanted = wanted;
        this.network = network;
        this.sink = sink;
        services = new HeldResources<>(SummaryCodec.SERVICE, SummaryCodec::service, sink::services);
        endpoints = new HeldResources<>(SummaryCodec.ENDPOINTS, SummaryCodec::endpoints, sink::endpoints);
    }

    /// What a new stream begins with.
    DeltaDiscoveryRequest open() {
        introduced = false;
        asksForEndpoints = false;
        told = false;
        sink.opened();
        return DeltaDiscoveryRequest.newBuilder()
                .setNode(node())
                .setTypeUrl(SummaryCodec.CLUSTER.url())
                .build();
    }

    /// How many services are held.
    int size() {
        return services.size();
    }

    /// Takes a response in and says what to send.
    ///
    /// @throws ProblemException when the stream is of no use
    List<DeltaDiscoveryRequest> received(DeltaDiscoveryResponse response) {
        if (response.getTypeUrl().equals(SummaryCodec.CLUSTER.url())) {
            return introduced(response);
        }
        if (introduced && services.isAbout(response)) {
            var answer = services.received(response);
            if (!told) {
                told = true;
                sink.complete();
            }
            return List.of(answer);
        }
        return asksForEndpoints && endpoints.isAbout(response) ? List.of(endpoints.received(response)) : List.of();
    }

    private List<DeltaDiscoveryRequest> introduced(DeltaDiscoveryResponse response) {
        var answers = new ArrayList<DeltaDiscoveryRequest>();
        answers.add(HeldResources.answer(response, ""));
        for (var resource : response.getResourcesList()) {
            var summary = SummaryCodec.cluster(resource.getResource().getValue());
            check(summary.cluster());
            sink.cluster(summary);
            if (!introduced) {
                introduced = true;
                answers.add(services.request());
            }
            if (!isNear(summary)) {
                endpoints.forget();
                asksForEndpoints = false;
            } else if (!asksForEndpoints) {
                asksForEndpoints = true;
                answers.add(endpoints.request());
            }
        }
        return answers;
    }

    /// Endpoints mean something on their own network only.
    private boolean isNear(ClusterSummary peer) {
        return !peer.network().isEmpty() && peer.network().equals(network.get());
    }

    /// An address that leads back to ourselves, or to a cluster that took it over, would read as connected.
    private void check(String cluster) {
        if (!cluster.equals(wanted)) {
            var isUs = cluster.equals(self);
            throw new ProblemException(new Problem(
                    isUs ? "peer-is-ourselves" : "peer-is-another-cluster",
                    "the control plane that answers for cluster " + wanted + " is that of cluster " + cluster
                            + (isUs ? ", our own" : ""),
                    "correct the address of the Gateway for cluster " + wanted + ", or the name of that cluster: it is "
                            + "what its control plane has as CLUSTER_ID",
                    Problem.Origin.SERVER,
                    Problem.Retry.SENSIBLE));
        }
    }

    /// As a proxy would say it: our identity has to be of that namespace and account.
    private Node node() {
        var id = "sidecar~127.0.0.1~fathomd-" + self + "." + namespace + "~" + namespace + ".svc.cluster.local";
        return Node.newBuilder()
                .setId(id)
                .setMetadata(Struct.newBuilder()
                        .putFields("NAMESPACE", text(namespace))
                        .putFields("SERVICE_ACCOUNT", text(account))
                        .putFields("CLUSTER_ID", text(self)))
                .build();
    }

    private static Value text(String value) {
        return Value.newBuilder().setStringValue(value).build();
    }
}
