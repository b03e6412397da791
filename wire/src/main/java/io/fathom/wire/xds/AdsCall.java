// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import io.fathom.wire.xds.debug.DebugAnswers;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsResponse;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.ClientNode;
import io.fathom.wire.xds.stream.Connection;
import io.fathom.wire.xds.stream.DeltaStream;
import io.fathom.wire.xds.stream.EnvoyStream;
import io.fathom.wire.xds.stream.Receipt;
import io.fathom.wire.xds.stream.SotwStream;
import io.fathom.wire.xds.stream.StreamGate;
import io.fathom.wire.xds.stream.StreamRejection;
import io.fathom.wire.xds.stream.XdsRequest;
import io.fathom.wire.xds.stream.XdsStream;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One stream on gRPC. Requests come one at a time, and a response is only made when the transport takes it, so a slow
/// client has no queue.
///
/// Callers of [#push()] and gRPC's callbacks only leave a note in [WorkNotes], so the state is confined without a lock,
/// and nobody waits for another stream.
final class AdsCall extends ServerCall.Listener<Inbound> {
    private static final Logger log = LoggerFactory.getLogger(AdsCall.class);
    private static final int MOST_ANSWERS = 8;
    /// A client that holds room for a large response without reading gives it up to others after this.
    private static final Duration LONGEST_LEASE = Duration.ofSeconds(2);

    private final ServerCall<Inbound, XdsResponse> call;
    private final Connection.Protocol protocol;
    private final StreamGate.NodeCheck check;
    private final AdsEndpoint endpoint;
    private final Instant connectedAt;
    private final long connectedNanos = System.nanoTime();
    private final String peer;
    private final StreamLog events;

    private final WorkNotes notes;
    private final AtomicReference<@Nullable Inbound> inbox = new AtomicReference<>();
    private final AtomicReference<@Nullable Status> closing = new AtomicReference<>();
    private final AtomicBoolean finished = new AtomicBoolean();
    private final Lease lease;
    private final AtomicBoolean alarmSet = new AtomicBoolean();
    private volatile boolean halfClosed;
    private volatile Runnable leaveLane = () -> {};
    private final ExpectedMilestones expected = new ExpectedMilestones(this);
    /// Only Envoys have one.
    private volatile @Nullable EnvoyFeed feed;

    // Confined to whoever works.
    private @Nullable XdsStream stream;
    private @Nullable XdsResponse held;
    private final Deque<XdsResponse> answers = new ArrayDeque<>();

    // Set once, before the stream is shown to others.
    private volatile @Nullable ClientNode client;
    private volatile String id = "";
    /// What it is fed from, if somebody may wait for it.
    private volatile @Nullable ResourceStore source;

    /// Confined to the lane.
    private final WriteStall stall = new WriteStall();

    AdsCall(
            ServerCall<Inbound, XdsResponse> call,
            Connection.Protocol protocol,
            StreamGate.NodeCheck check,
            AdsEndpoint endpoint) {
        this.call = call;
        this.protocol = protocol;
        this.events = new StreamLog(protocol);
        this.check = check;
        this.endpoint = endpoint;
        this.connectedAt = endpoint.clock().instant();
        this.notes = new WorkNotes(this::step, () -> inbox.get() != null, endpoint.workers());
        this.lease = new Lease(
                endpoint.budget(), giveBack -> endpoint.schedule(giveBack, LONGEST_LEASE), notes::workElsewhere);
        this.peer = String.valueOf(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
    }

    /// From now on the stream hears of every cut.
    void join(PushLanes lanes) {
        leaveLane = lanes.add(this);
    }

    @Override
    public void onMessage(Inbound message) {
        inbox.set(message);
        work();
    }

    @Override
    public void onReady() {
        work();
    }

    /// The client has no more to ask: it gets what it is due, then the stream ends.
    @Override
    public void onHalfClose() {
        halfClosed = true;
        work();
    }

    @Override
    public void onCancel() {
        finish();
    }

    @Override
    public void onComplete() {
        finish();
    }

    void close(Status status) {
        closing.compareAndSet(null, status);
        work();
    }

    /// There is a new cut. Called by the lane, which others wait for: requests are left to the workers.
    void push() {
        if (feed == null) { // else it is told of its own changes
            notes.workInLane();
        }
    }

    /// Ends if the client would not be admitted any more.
    void recheck() {
        if (!check.isStillAdmitted()) {
            close(Status.PERMISSION_DENIED.withDescription("the identity of the client counts no longer"));
        }
    }

    /// Reports a client that has taken nothing for long. Called by the lane.
    void checkProgress(long now) {
        var stuck = !finished.get() && !call.isReady();
        var who = client;
        if (stall.isNew(stuck, now, endpoint.writeTimeout()) && who != null) {
            endpoint.observer().writeTimedOut(who);
        }
    }

    private void work() {
        notes.work();
    }

    private void step() {
        if (finished.get()) {
            return;
        }
        try {
            var status = closing.get();
            if (status != null) {
                end(status);
                return;
            }
            var message = inbox.getAndSet(null);
            if (message != null) {
                handle(message);
                call.request(1);
                checkExpected(); // before something newer is on its way
            }
            send();
            checkExpected();
        } catch (StreamRejection e) {
            end(Status.fromCode(Status.Code.valueOf(e.code().name())).withDescription(e.reason()));
        } catch (RuntimeException | Error e) {
            log.atError().addKeyValue("stream", id).setCause(e).log("stream failed");
            endpoint.observer().failed(e);
            end(Status.INTERNAL.withDescription("internal error; see the log of the control plane"));
        }
    }

    /// Somebody waits until this client has acknowledged something.
    void expect(Acknowledgements.Awaited awaited) {
        expected.add(awaited);
        if (finished.get()) {
            awaited.left(this);
        } else {
            notes.workElsewhere();
        }
    }

    void forget(Acknowledgements.Awaited awaited) {
        expected.remove(awaited);
    }

    private void checkExpected() {
        if (stream != null) {
            expected.check(stream);
        }
    }

    /// Whether it is fed from that store; of the one for node proxies, only these count.
    boolean follows(ResourceStore store) {
        var own = source;
        return own != null && own.equals(store);
    }

    /// Who it is, as `name.namespace`.
    String proxy() {
        var node = client;
        return node == null ? "" : node.proxy();
    }

    private void handle(Inbound message) {
        var request = switch (message) {
            case Inbound.Broken(var rejection) -> throw rejection;
            case Inbound.Request(var it) -> it;
        };
        endpoint.observer().received(request.size());
        if (!check.mayHave(request.type())) {
            end(Status.PERMISSION_DENIED.withDescription("control planes of other trust domains get what is shared"));
            return;
        }
        if (stream == null) {
            if (request.type().equals(XdsType.HEALTH)) {
                return; // a probe may precede the first request
            }
            open(request);
        }
        if (DebugAnswers.isDebug(request.type()) && protocol == Connection.Protocol.STATE_OF_THE_WORLD) {
            answer(request);
            return;
        }
        var own = feed;
        var receipt = stream().receive(own == null ? request : own.permitted(request));
        switch (receipt) {
            case Receipt.Taken _ -> {}
            case Receipt.Acknowledged acknowledged -> acknowledged.verdict().ifPresent(it -> feed().accepted(it));
            case Receipt.Expired(var type) -> endpoint.observer().expiredNonce(type);
            case Receipt.Refused(var type, var error, var verdict) -> {
                events.refused(id, type, error);
                endpoint.observer().refused(client(), type, error);
                verdict.ifPresent(it -> feed().refused(it, error));
            }
        }
    }

    /// Such answers wait for the client to take them, unlike those of a stream, so there may be only so many.
    private void answer(XdsRequest request) {
        if (answers.size() >= MOST_ANSWERS) {
            throw StreamRejection.exhausted("too many questions at once");
        }
        answers.add(endpoint.debug().answer(request, client(), check));
    }

    private void open(XdsRequest first) {
        var node =
                ClientNode.parse(first.node().orElseThrow(() -> StreamRejection.invalid("missing node information")));
        check.refusal(node).ifPresent(reason -> {
            throw StreamRejection.denied(reason);
        });
        client = node;
        id = node.proxy() + "-" + endpoint.nextStream();
        stream = endpoint.open(protocol, node, first.type(), check);
        if (stream instanceof EnvoyStream envoy) {
            feed = EnvoyFeed.join(envoy, node, check, endpoint, connectedNanos, this::work);
        }
        source = source(node);
        endpoint.acknowledgements().joined(this);
        endpoint.table().add(id, this::connection);
        endpoint.observer().connected(node);
        events.begins(id, peer, first.type());
        if (finished.get()) { // the client left meanwhile, and nobody else will clean up
            leave(node);
        }
    }

    private @Nullable ResourceStore source(ClientNode node) {
        return switch (stream()) {
            case EnvoyStream envoy -> envoy.store();
            case DeltaStream _ when node.type() == ClientNode.Type.ZTUNNEL -> endpoint.store();
            case DeltaStream _, SotwStream _ -> null;
        };
    }

    private void send() {
        if (lease.isQueued()) {
            return;
        }
        if (held == null && call.isReady()) {
            lease.giveBack();
        }
        while (call.isReady()) {
            var started = System.nanoTime();
            var response = held != null ? held : nextResponse();
            held = null;
            if (response == null) {
                idle();
                return;
            }
            if (response.size() >= SendBudget.LARGE && !lease.isHeld() && !lease.borrow(response.size())) {
                held = response;
                return;
            }
            var made = System.nanoTime();
            events.pushed(id, response); // first: a client may take it and be gone before we go on
            call.sendMessage(response);
            report(response, started, made);
        }
    }

    private @Nullable XdsResponse nextResponse() {
        var answer = answers.poll();
        return answer != null || stream == null ? answer : stream.next().orElse(null);
    }

    private void report(XdsResponse response, long started, long made) {
        var times = new PushTimes(connectedNanos, started, made, System.nanoTime());
        endpoint.observer().pushed(times.of(response));
    }

    /// Nothing to say for now.
    private void idle() {
        var due = stream == null ? Optional.<Instant>empty() : stream.wakeAt();
        if (due.isPresent()) {
            if (alarmSet.compareAndSet(false, true)) {
                endpoint.schedule(this::alarm, Duration.between(endpoint.clock().instant(), due.get()));
            }
        } else if (halfClosed) {
            end(Status.OK);
        }
    }

    private void alarm() {
        alarmSet.set(false);
        work();
    }

    private void end(Status status) {
        if (finish()) {
            call.close(status, new Metadata());
        }
    }

    private boolean finish() {
        if (!finished.compareAndSet(false, true)) {
            return false;
        }
        leaveLane.run();
        lease.end();
        endpoint.left(this);
        expected.leave();
        var node = client;
        if (node != null) {
            leave(node);
        }
        return true;
    }

    private void leave(ClientNode node) {
        var own = feed;
        if (own != null) {
            own.close();
        }
        if (endpoint.table().remove(id)) {
            endpoint.observer().disconnected(node);
            events.ends(id, Duration.ofNanos(System.nanoTime() - connectedNanos));
        }
    }

    private XdsStream stream() {
        if (stream == null) {
            throw new IllegalStateException("no first request yet");
        }
        return stream;
    }

    /// Only streams of Envoys give verdicts.
    private EnvoyFeed feed() {
        var own = feed;
        if (own == null) {
            throw new IllegalStateException("no stream of an Envoy");
        }
        return own;
    }

    private ClientNode client() {
        var node = client;
        if (node == null) {
            throw new IllegalStateException("no first request yet");
        }
        return node;
    }

    private Connection connection() {
        var watches = stream().statuses().stream()
                .sorted(Comparator.comparing(status -> status.type().url()))
                .toList();
        var store = stream instanceof EnvoyStream envoy ? Optional.of(envoy.store()) : Optional.<ResourceStore>empty();
        return new Connection(id, client(), protocol, peer, connectedAt, watches, store);
    }
}
