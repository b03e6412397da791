// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import io.fathom.model.mesh.Workload;
import io.fathom.wire.dns.DnsQuery;
import io.fathom.wire.dns.DnsQuestion;
import io.fathom.wire.dns.DnsRecord;
import io.fathom.wire.dns.DnsReply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/// Answers the messages of one pod, however they came. For its event loop only.
final class DnsService {
    private static final int MOST_WAITING = 512;
    private static final int TTL_SECONDS = 30;

    private final DnsProxy.Setup setup;
    private final DnsAnswerer answerer;
    private final DnsForwarder forwarder;
    /// Queries of a pod that the mesh does not know yet.
    private int waiting;

    DnsService(DnsProxy.Setup setup) {
        this.setup = setup;
        this.answerer = new DnsAnswerer(setup.config());
        this.forwarder = new DnsForwarder(
                new Upstream(setup.loop(), setup.sockets(), setup.random()),
                setup.servers(),
                setup.clock(),
                setup.observer());
    }

    /// Replies once, now or later, unless the message asks for nothing.
    void handle(byte[] message, Transport transport, Consumer<byte[]> reply) {
        DnsQuery.read(message).ifPresent(query -> {
            if (waiting >= MOST_WAITING) {
                handle(query, transport, Optional.empty(), reply);
                return;
            }
            waiting++;
            setup.client().await(setup.loop(), client -> {
                waiting--;
                handle(query, transport, client, reply);
            });
        });
    }

    private void handle(DnsQuery query, Transport transport, Optional<Workload> client, Consumer<byte[]> reply) {
        var labels = new DnsObserver.Labels(
                query.question()
                        .map(question -> DnsQuestion.typeName(question.type()))
                        .orElse("Unknown"),
                transport,
                client);
        setup.observer().request(labels);
        if (client.isEmpty()) {
            reply.accept(DnsReply.failure(query, DnsReply.SERVFAIL));
            return;
        }
        var decision = query.question()
                .map(question ->
                        answerer.decide(setup.mesh().get(), setup.config().client(client.get()), question))
                .orElse(DnsDecision.FORWARD);
        switch (decision) {
            case DnsDecision.Answer answer ->
                reply.accept(DnsReply.answer(
                        query,
                        shuffled(answer.records(), setup.random()),
                        TTL_SECONDS,
                        transport == Transport.UDP ? query.udpLimit() : Upstream.LONGEST_MESSAGE));
            case DnsDecision.Forward ignored -> forwarder.forward(query, labels, reply);
        }
    }

    /// The addresses in any order, so that clients spread; an alias stays first.
    private static List<DnsRecord> shuffled(List<DnsRecord> records, RandomGenerator random) {
        var first = !records.isEmpty() && records.getFirst() instanceof DnsRecord.Alias ? 1 : 0;
        if (records.size() - first < 2) {
            return records;
        }
        var shuffled = new ArrayList<>(records);
        Collections.shuffle(shuffled.subList(first, shuffled.size()), Random.from(random));
        return shuffled;
    }
}
