// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import com.google.rpc.Code;
import com.google.rpc.Status;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.fathom.model.routing.MeshDelta;
import io.fathom.model.trust.TrustMap;
import io.fathom.wire.sds.TrustSecret;
import io.fathom.wire.xds.store.XdsType;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// What a delta client says and remembers, without I/O. Outlives streams: what is held is kept while there is
/// none, and told to the next server. For one thread.
final class DeltaProtocol {
    private static final String ALL = "*";

    private final Node node;
    private final XdsClientConfig.Scope scope;
    private final VersionTable addresses = new VersionTable();
    private final VersionTable policies = new VersionTable();
    private final Demands demands = new Demands();
    private final ResourceDecoder decoder = new ResourceDecoder();
    private final Map<String, TypeStatus> statuses = new HashMap<>();
    private final Set<String> acknowledged = new HashSet<>();

    DeltaProtocol(NodeDescription node, XdsClientConfig.Scope scope) {
        this.node = node.message();
        this.scope = scope;
    }

    /// The first requests of a stream. Policies before the workloads that name them.
    List<DeltaDiscoveryRequest> open() {
        var forPolicies = first(XdsType.AUTHORIZATION);
        policies.forEach(forPolicies::putInitialResourceVersions);
        var forAddresses = first(XdsType.ADDRESS);
        if (scope == XdsClientConfig.Scope.ON_DEMAND) {
            forAddresses.addResourceNamesSubscribe(ALL).addResourceNamesUnsubscribe(ALL);
            demands.forEachKey(key -> {
                if (!addresses.contains(key)) {
                    forAddresses.putInitialResourceVersions(key, ""); // an alias, or something that is not there yet
                }
            });
        }
        addresses.forEach(forAddresses::putInitialResourceVersions);
        var forTrust = first(XdsType.SECRET).addResourceNamesSubscribe(TrustSecret.NAME);
        return List.of(forPolicies.build(), forAddresses.build(), forTrust.build());
    }

    private DeltaDiscoveryRequest.Builder first(XdsType type) {
        return DeltaDiscoveryRequest.newBuilder().setNode(node).setTypeUrl(type.url());
    }

    /// The request to send for a key that somebody waits for; none if it was asked for before.
    Optional<DeltaDiscoveryRequest> demand(String key, Demands.Waiter waiter, Instant now) {
        return demands.add(key, waiter, now)
                ? Optional.of(DeltaDiscoveryRequest.newBuilder()
                        .setTypeUrl(XdsType.ADDRESS.url())
                        .addResourceNamesSubscribe(key)
                        .build())
                : Optional.empty();
    }

    void abandon(String key, Demands.Waiter waiter) {
        demands.abandon(key, waiter);
    }

    /// Forgets what is not needed of what nobody has asked for since then: the request to send, if there is such. What
    /// is asked for again later is subscribed to again and comes anew, so nothing that grew old is ever used.
    Optional<DeltaDiscoveryRequest> forgetIdle(Instant since, Unneeded.Finder finder, Consumer<MeshDelta> mesh) {
        var idle = demands.idleSince(since);
        var used = new HashSet<>(demands.keys());
        used.removeAll(idle);
        var found = finder.find(used, idle);
        var names = found.names().stream().filter(addresses::contains).toList();
        if (found.keys().isEmpty() && names.isEmpty()) {
            return Optional.empty();
        }
        demands.forget(found.keys());
        names.forEach(addresses::remove);
        if (!names.isEmpty()) {
            mesh.accept(MeshDelta.ofAddresses(List.of(), names));
        }
        return Optional.of(DeltaDiscoveryRequest.newBuilder()
                .setTypeUrl(XdsType.ADDRESS.url())
                .addAllResourceNamesUnsubscribe(found.keys())
                .addAllResourceNamesUnsubscribe(names)
                .build());
    }

    /// A response begins. Whatever it says goes to `mesh`, at the latest when it is complete.
    ///
    /// @param trust hears whose roots vouch for which trust domain
    Exchange begin(Consumer<MeshDelta> mesh, Consumer<TrustMap> trust) {
        return new Exchange(mesh, trust);
    }

    /// One response: its bytes, then the answer. Whoever waited for something in it is woken after the mesh has it.
    final class Exchange {
        private final Set<String> seen = new HashSet<>();
        private final Reception reception;
        private final ResponseReader reader;

        private Exchange(Consumer<MeshDelta> mesh, Consumer<TrustMap> trust) {
            this.reception = new Reception(decoder, addresses, policies, mesh, trust, name -> {
                if (demands.isWanted(name)) {
                    seen.add(name);
                }
            });
            this.reader = new ResponseReader(reception);
        }

        /// Takes some bytes.
        ///
        /// @throws IOException when this is no response; the stream is of no use then
        void feed(ByteBuf bytes) throws IOException {
            reader.feed(bytes);
        }

        /// There are no more bytes: says what to answer.
        ///
        /// @throws IOException when there should be more
        Receipt finish() throws IOException {
            reader.finish();
            reception.finish();
            demands.answer(seen);
            var url = reception.typeUrl();
            if (reception.rejected() == 0) {
                acknowledged.add(url);
            }
            note(url, reception);
            return new Receipt(answer(reception), url, reception.accepted(), reception.rejections());
        }
    }

    private static DeltaDiscoveryRequest answer(Reception reception) {
        var answer = DeltaDiscoveryRequest.newBuilder()
                .setTypeUrl(reception.typeUrl())
                .setResponseNonce(reception.nonce());
        if (reception.rejected() > 0) {
            answer.setErrorDetail(
                    Status.newBuilder().setCode(Code.INVALID_ARGUMENT_VALUE).setMessage(reception.rejections()));
        }
        return answer.build();
    }

    private void note(String url, Reception reception) {
        var before = statuses.getOrDefault(url, TypeStatus.NONE);
        var held = url.equals(XdsType.ADDRESS.url())
                ? addresses.size()
                : url.equals(XdsType.AUTHORIZATION.url()) ? policies.size() : 0;
        statuses.put(
                url,
                new TypeStatus(
                        reception.systemVersion(),
                        reception.nonce(),
                        held,
                        before.rejected() + reception.rejected(),
                        reception.rejected() == 0 ? before.lastRejection() : Optional.of(reception.rejections())));
    }

    /// Whether each type had a response with nothing to reject, on whichever stream.
    boolean isReady() {
        return acknowledged.contains(XdsType.ADDRESS.url()) && acknowledged.contains(XdsType.AUTHORIZATION.url());
    }

    Map<String, TypeStatus> statuses() {
        return Map.copyOf(statuses);
    }

    /// What a response led to.
    ///
    /// @param answer to be sent
    /// @param rejections empty when all was well
    record Receipt(DeltaDiscoveryRequest answer, String typeUrl, int accepted, String rejections) {}
}
