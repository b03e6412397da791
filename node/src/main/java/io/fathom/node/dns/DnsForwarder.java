// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.dns;

import io.fathom.model.mesh.IpPort;
import io.fathom.wire.dns.DnsQuery;
import io.fathom.wire.dns.DnsReply;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Asks the node's name servers, one after the other until one knows, and remembers what they said. Messages pass
/// unchanged but for their id. At most [#MOST_IN_FLIGHT] at a time. For its event loop only.
final class DnsForwarder {
    static final int MOST_IN_FLIGHT = 512;
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final int ROUNDS = 2;
    private static final int MOST_TRIES = 6;
    private static final int REFUSED = 5;

    private final Upstream upstream;
    private final Supplier<ResolvConf> config;
    private final InstantSource clock;
    private final DnsObserver observer;
    private final AnswerCache cache = new AnswerCache();
    private int inFlight;

    DnsForwarder(Upstream upstream, Supplier<ResolvConf> config, InstantSource clock, DnsObserver observer) {
        this.upstream = upstream;
        this.config = config;
        this.clock = clock;
        this.observer = observer;
    }

    /// There is always a reply, now or later.
    void forward(DnsQuery query, DnsObserver.Labels labels, Consumer<byte[]> reply) {
        var cached = cache.find(query, labels.transport(), clock.instant());
        if (cached.isPresent()) {
            reply.accept(cached.get());
            return;
        }
        var servers = config.get().servers();
        if (servers.isEmpty() || inFlight >= MOST_IN_FLIGHT) {
            observer.forwardFailed(labels, Duration.ZERO);
            reply.accept(DnsReply.failure(query, DnsReply.SERVFAIL));
            return;
        }
        inFlight++;
        new Search(query, labels, servers, reply, clock.instant()).next();
    }

    /// The way through the servers for one query.
    private final class Search {
        private final DnsQuery query;
        private final DnsObserver.Labels labels;
        private final List<IpPort> servers;
        private final Consumer<byte[]> reply;
        private final Instant since;
        private int tries;
        private byte @Nullable [] unhelpful;

        Search(DnsQuery query, DnsObserver.Labels labels, List<IpPort> servers, Consumer<byte[]> reply, Instant since) {
            this.query = query;
            this.labels = labels;
            this.servers = servers;
            this.reply = reply;
            this.since = since;
        }

        void next() {
            var secondRound = tries >= servers.size();
            if (tries >= Math.min(MOST_TRIES, ROUNDS * servers.size()) || (secondRound && unhelpful != null)) {
                observer.forwardFailed(labels, Duration.between(since, clock.instant()));
                finish(unhelpful == null ? DnsReply.failure(query, DnsReply.SERVFAIL) : unhelpful);
                return;
            }
            var server = servers.get(tries++ % servers.size());
            var asked = upstream.ask(server, query, labels.transport(), PATIENCE);
            var _ = asked.addListener(_ -> answered(asked));
        }

        private void answered(Future<byte[]> asked) {
            if (!asked.isSuccess()) {
                next();
                return;
            }
            var answer = asked.getNow();
            var code = answer[3] & 0xf;
            if (code == DnsReply.SERVFAIL || code == REFUSED) {
                unhelpful = answer; // another server may know better
                next();
                return;
            }
            var now = clock.instant();
            observer.forwarded(labels, Duration.between(since, now));
            cache.put(query, labels.transport(), answer, now);
            finish(answer);
        }

        private void finish(byte[] answer) {
            inFlight--;
            reply.accept(answer);
        }
    }
}
