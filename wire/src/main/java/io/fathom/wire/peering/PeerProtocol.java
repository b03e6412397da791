// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.rpc.Status;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.peering.ServiceSummary;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What is said on streams to one peer, and what is held of it. First the peer says who it is; only if that is who we
/// wanted, we ask for its services, naming the versions we hold, so that a new stream brings the difference and no
/// more. Does no I/O. For one thread.
final class PeerProtocol {
    private static final int INVALID_ARGUMENT = 3;

    private final String self;
    private final String namespace;
    private final String account;
    private final String wanted;
    private final PeerSink sink;
    private final Map<String, String> held = new HashMap<>();
    private boolean introduced;

    /// @param self our cluster
    /// @param namespace of our control plane
    /// @param account of our control plane
    /// @param wanted the cluster that the peer should be
    PeerProtocol(String self, String namespace, String account, String wanted, PeerSink sink) {
        this.self = self;
        this.namespace = namespace;
        this.account = account;
        this.wanted = wanted;
        this.sink = sink;
    }

    /// What a new stream begins with.
    DeltaDiscoveryRequest open() {
        introduced = false;
        return DeltaDiscoveryRequest.newBuilder()
                .setNode(node())
                .setTypeUrl(SummaryCodec.CLUSTER.url())
                .build();
    }

    /// How many services are held.
    int size() {
        return held.size();
    }

    /// Takes a response in and says what to send.
    ///
    /// @throws ProblemException when the stream is of no use
    List<DeltaDiscoveryRequest> received(DeltaDiscoveryResponse response) {
        if (response.getTypeUrl().equals(SummaryCodec.CLUSTER.url())) {
            return introduced(response);
        }
        return introduced && response.getTypeUrl().equals(SummaryCodec.SERVICE.url())
                ? List.of(services(response))
                : List.of();
    }

    private List<DeltaDiscoveryRequest> introduced(DeltaDiscoveryResponse response) {
        var answers = new ArrayList<DeltaDiscoveryRequest>();
        answers.add(answer(response, ""));
        for (var resource : response.getResourcesList()) {
            var summary = SummaryCodec.cluster(resource.getResource().getValue());
            check(summary.cluster());
            sink.cluster(summary);
            if (!introduced) {
                introduced = true;
                answers.add(DeltaDiscoveryRequest.newBuilder()
                        .setTypeUrl(SummaryCodec.SERVICE.url())
                        .putAllInitialResourceVersions(held)
                        .build());
            }
        }
        return answers;
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

    private DeltaDiscoveryRequest services(DeltaDiscoveryResponse response) {
        var changed = new ArrayList<ServiceSummary>();
        var versions = new HashMap<String, String>();
        var refused = new StringBuilder();
        for (var resource : response.getResourcesList()) {
            try {
                changed.add(SummaryCodec.service(
                        resource.getName(), resource.getResource().getValue()));
                versions.put(resource.getName(), resource.getVersion());
            } catch (ProblemException e) {
                refused.append(refused.isEmpty() ? "" : "; ").append(e.problem().message());
            }
        }
        var gone = response.getRemovedResourcesList().stream()
                .filter(name -> held.containsKey(name) && !versions.containsKey(name))
                .toList();
        if (!changed.isEmpty() || !gone.isEmpty()) {
            sink.services(changed, gone);
        }
        gone.forEach(held::remove);
        held.putAll(versions);
        return answer(response, refused.toString());
    }

    private static DeltaDiscoveryRequest answer(DeltaDiscoveryResponse response, String refused) {
        var answer = DeltaDiscoveryRequest.newBuilder()
                .setTypeUrl(response.getTypeUrl())
                .setResponseNonce(response.getNonce());
        if (!refused.isEmpty()) {
            answer.setErrorDetail(Status.newBuilder().setCode(INVALID_ARGUMENT).setMessage(refused));
        }
        return answer.build();
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
