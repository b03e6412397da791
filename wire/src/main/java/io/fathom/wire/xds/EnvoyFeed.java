// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.stream.ClientNode;
import io.fathom.wire.xds.stream.EnvoyStream;
import io.fathom.wire.xds.stream.OwnSecrets;
import io.fathom.wire.xds.stream.StreamGate;
import io.fathom.wire.xds.stream.Verdict;
import io.fathom.wire.xds.stream.XdsRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/// What a stream of an Envoy has beside other streams: a store of its own, whose changes it is told of at a certain
/// pace, secrets that it may not have, and an ear for its verdicts. Any thread.
final class EnvoyFeed implements AutoCloseable {
    private final EnvoyStream stream;
    private final ClientNode client;
    private final StreamGate.NodeCheck check;
    private final AdsEndpoint endpoint;
    private final Runnable push;

    private final AtomicBoolean pushPlanned = new AtomicBoolean();
    private volatile long pushedNanos;
    private List<ResourceStore.Registration> registrations = List.of();
    private final AtomicBoolean left = new AtomicBoolean();

    private EnvoyFeed(
            EnvoyStream stream,
            ClientNode client,
            StreamGate.NodeCheck check,
            AdsEndpoint endpoint,
            long connectedNanos,
            Runnable push) {
        this.stream = stream;
        this.client = client;
        this.check = check;
        this.endpoint = endpoint;
        this.pushedNanos = connectedNanos;
        this.push = push;
    }

    /// @param push called when the stream has something to send
    static EnvoyFeed join(
            EnvoyStream stream,
            ClientNode client,
            StreamGate.NodeCheck check,
            AdsEndpoint endpoint,
            long connectedNanos,
            Runnable push) {
        var feed = new EnvoyFeed(stream, client, check, endpoint, connectedNanos, push);
        feed.registrations = List.of(
                stream.store().onPublish(feed::changed), stream.own().store().onPublish(feed::changed));
        return feed;
    }

    /// On the writer's thread: what comes at once is told at once.
    private void changed() {
        if (pushPlanned.compareAndSet(false, true)) {
            var since = Duration.ofNanos(System.nanoTime() - pushedNanos);
            var wait = endpoint.pause().minus(since);
            endpoint.schedule(this::pushNow, wait.isNegative() ? Duration.ZERO : wait);
        }
    }

    private void pushNow() {
        pushPlanned.set(false);
        pushedNanos = System.nanoTime();
        push.run();
    }

    /// Whoever may not have something waits in vain for it.
    XdsRequest permitted(XdsRequest request) {
        var type = request.type();
        var feeds = endpoint.feeds();
        return check.equals(StreamGate.NodeCheck.NONE)
                ? request.without(name -> feeds.isConfidential(type, name))
                : request.without(name -> !OwnSecrets.isOwn(type, name) && feeds.isKeptFrom(client, type, name));
    }

    void accepted(Verdict verdict) {
        endpoint.feeds().accepted(stream.store(), verdict);
    }

    void refused(Verdict verdict, String error) {
        endpoint.feeds().refused(stream.store(), verdict, error);
    }

    @Override
    public void close() {
        if (!left.getAndSet(true)) {
            registrations.forEach(ResourceStore.Registration::close);
            stream.own().close();
            endpoint.feeds().left(stream.store());
        }
    }
}
