// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetPeer;
import io.fathom.model.fleet.FleetUp;
import io.fathom.wire.fleet.FleetHandler.FleetOutlet;
import io.fathom.wire.fleet.FleetHandler.FleetSession;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/// The stream of one cluster. What it is due is a set of clusters, worked out when there is room to send it: a slow
/// agent costs a name for each cluster, however much changes meanwhile. Guarded by this.
final class ClusterSession implements FleetSession {
    private static final int PEERS_AT_ONCE = 200;
    private static final int ROOTS_AT_ONCE = 128 * 1024; // characters; a message has an end
    private static final int MOST_ANSWERS = 16;

    /// What the server does for a session.
    interface SessionHost {
        /// Answers the first message of a stream.
        ///
        /// @throws io.fathom.base.lang.ProblemException when that agent is not who its certificate says
        FleetDown.Welcome greet(ClusterSession session, FleetUp.Hello hello);

        FleetDown.Receipt accept(ClusterSession session, FleetUp.Gateways said);

        FleetDown.Receipt accept(ClusterSession session, FleetUp.Services said);

        FleetDown.Receipt accept(ClusterSession session, FleetUp.Weights said);

        FleetDown.Receipt accept(ClusterSession session, FleetUp.ExportsEnd said);

        void heard(ClusterSession session, FleetUp.Interested said);

        void heard(ClusterSession session, FleetUp.Repair said);

        void heard(ClusterSession session, FleetUp.Digest said);

        void heard(ClusterSession session, FleetUp.Reach said);

        /// What is due of services, when all gateways have been told.
        Optional<FleetDown> nextOfServices(ClusterSession session);

        void ended(ClusterSession session);

        /// How long it has to wait after work of that size.
        Duration spend(ClusterSession session, int cost);

        Fleet fleet();
    }

    private final String uid;
    private final String peer;
    private final Instant since;
    private final SessionHost host;
    private final FleetOutlet outlet;
    private final Deque<FleetDown> answers = new ArrayDeque<>();
    private final Set<String> due = new LinkedHashSet<>();
    private Optional<FleetUp.Hello> hello = Optional.empty();
    private boolean revoked;
    private boolean replaced;
    private Duration pause = Duration.ZERO;

    ClusterSession(String uid, String peer, Instant since, SessionHost host, FleetOutlet outlet) {
        this.uid = uid;
        this.peer = peer;
        this.since = since;
        this.host = host;
        this.outlet = outlet;
    }

    String uid() {
        return uid;
    }

    String peer() {
        return peer;
    }

    Instant since() {
        return since;
    }

    synchronized String software() {
        return hello.map(FleetUp.Hello::software).orElse("");
    }

    synchronized String instance() {
        return hello.map(FleetUp.Hello::instance).orElse("");
    }

    @Override
    public void received(FleetUp message) {
        take(message);
        var wait = host.spend(this, MemberBudget.cost(message));
        synchronized (this) {
            pause = wait;
        }
        outlet.wake();
    }

    private void take(FleetUp message) {
        switch (message) {
            case FleetUp.Hello said -> {
                var welcome = host.greet(this, said);
                var all = new TreeSet<>(host.fleet().registrations().keySet());
                synchronized (this) {
                    hello = Optional.of(said);
                    answer(welcome);
                    due.addAll(all);
                }
            }
            case FleetUp.Gateways said -> answer(() -> host.accept(this, said));
            case FleetUp.Services said -> answer(() -> host.accept(this, said));
            case FleetUp.Weights said -> answer(() -> host.accept(this, said));
            case FleetUp.ExportsEnd said -> answer(() -> host.accept(this, said));
            case FleetUp.Interested said -> {
                requireHello();
                host.heard(this, said);
            }
            case FleetUp.Repair said -> {
                requireHello();
                host.heard(this, said);
            }
            case FleetUp.Digest said -> {
                requireHello();
                host.heard(this, said);
            }
            case FleetUp.Reach said -> {
                requireHello();
                host.heard(this, said);
            }
        }
    }

    @Override
    public synchronized Duration pause() {
        return pause;
    }

    /// Tells the agent that it is too fast.
    void slowDown(String reason) {
        synchronized (this) {
            answer(new FleetDown.SlowDown(reason));
        }
        outlet.wake();
    }

    /// Whether it has said who it is.
    synchronized boolean hasBegun() {
        return hello.isPresent();
    }

    private synchronized void requireHello() {
        if (hello.isEmpty()) {
            throw FleetProblems.noHello();
        }
    }

    private void answer(Supplier<FleetDown.Receipt> taken) {
        requireHello();
        var receipt = taken.get();
        synchronized (this) {
            answer(receipt);
        }
    }

    /// There is something to send.
    void wake() {
        outlet.wake();
    }

    /// An agent that does not read what it asked for loses the oldest answers: nothing depends on them.
    private void answer(FleetDown answer) {
        if (answers.size() == MOST_ANSWERS) {
            answers.removeFirst();
        }
        answers.addLast(answer);
    }

    /// Something about that cluster is different.
    void changed(String cluster) {
        synchronized (this) {
            if (hello.isEmpty()) {
                return; // it gets everything after its hello
            }
            due.add(cluster);
        }
        outlet.wake();
    }

    /// The last thing it hears is that it is no member.
    void revoke(String reason) {
        synchronized (this) {
            revoked = true;
            due.clear();
            answers.clear();
            answers.add(new FleetDown.Revoked(reason));
        }
        outlet.finish();
    }

    /// Another stream has taken its place.
    void replace() {
        synchronized (this) {
            replaced = true;
        }
        outlet.finish();
    }

    @Override
    public synchronized Optional<FleetDown> next() {
        if (replaced) {
            return Optional.empty();
        }
        var answer = answers.pollFirst();
        if (answer != null) {
            return Optional.of(answer);
        }
        if (revoked || hello.isEmpty()) {
            return Optional.empty();
        }
        while (!due.isEmpty()) {
            var peers = peers();
            if (!peers.changed().isEmpty() || !peers.removed().isEmpty()) {
                return Optional.of(peers);
            }
        }
        return host.nextOfServices(this);
    }

    private FleetDown.Peers peers() {
        var registrations = host.fleet().registrations();
        var viewer = registrations.get(uid);
        var changed = new ArrayList<FleetPeer>();
        var removed = new ArrayList<String>();
        var roots = 0;
        for (var waiting = due.iterator();
                waiting.hasNext() && changed.size() + removed.size() < PEERS_AT_ONCE && roots < ROOTS_AT_ONCE; ) {
            var origin = waiting.next();
            waiting.remove();
            if (viewer == null) {
                continue;
            }
            switch (PeerView.of(Optional.ofNullable(registrations.get(origin)), viewer)) {
                case PeerView.Shown(var peerGateway) -> {
                    changed.add(peerGateway);
                    roots += peerGateway.fact().roots().stream()
                            .mapToInt(root -> root.certificate().length())
                            .sum();
                }
                case PeerView.Withdrawn(var withdrawn) -> removed.add(withdrawn);
                case PeerView.Unchanged() -> {}
            }
        }
        return new FleetDown.Peers(changed, removed);
    }

    @Override
    public void ended() {
        host.ended(this);
    }
}
