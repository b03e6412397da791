// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet.simulation;

import io.fathom.base.lang.ProblemException;
import io.fathom.model.fleet.FleetUp;
import io.fathom.wire.fleet.FleetCodec;
import io.fathom.wire.fleet.FleetHandler.FleetOutlet;
import io.fathom.wire.fleet.FleetHandler.FleetSession;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// A stream without sockets: messages travel as the bytes that they are, when the test lets them.
final class SimulatedStream implements FleetOutlet {
    private final SimulatedCluster cluster;
    private final TrafficTotals up;
    private final TrafficTotals down;
    private final Deque<byte[]> waiting = new ArrayDeque<>();
    private @Nullable FleetSession session;
    private boolean awake = true;
    private boolean finishing;
    private boolean over;

    SimulatedStream(SimulatedCluster cluster, TrafficTotals up, TrafficTotals down) {
        this.cluster = cluster;
        this.up = up;
        this.down = down;
    }

    void begin(FleetSession opened) {
        session = opened;
        send(cluster.hello());
    }

    void send(FleetUp message) {
        var bytes = FleetCodec.bytes(message);
        up.add(message.getClass().getSimpleName(), bytes.length);
        waiting.add(bytes);
    }

    /// Says what no agent would.
    void inject(byte[] bytes) {
        up.add("Injected", bytes.length);
        waiting.add(bytes);
    }

    @Override
    public void wake() {
        awake = true;
    }

    @Override
    public void finish() {
        finishing = true;
        awake = true;
    }

    boolean isOver() {
        return over;
    }

    /// Moves messages in both directions.
    ///
    /// @param most that go down
    /// @return whether any has moved
    boolean move(int most, Instant now) {
        var opened = session;
        if (over || opened == null) {
            return false;
        }
        var moved = false;
        try {
            for (var bytes = waiting.pollFirst(); bytes != null; bytes = waiting.pollFirst()) {
                opened.received(FleetCodec.up(bytes));
                moved = true;
            }
        } catch (ProblemException e) {
            cut();
            return true;
        }
        for (var taken = 0; awake && taken < most; taken++) {
            var message = opened.next();
            if (message.isEmpty()) {
                awake = false;
                if (finishing) {
                    cut();
                    return true;
                }
                break;
            }
            var bytes = FleetCodec.bytes(message.get());
            down.add(message.get().getClass().getSimpleName(), bytes.length);
            cluster.take(FleetCodec.down(bytes), this::send, now);
            moved = true;
        }
        return moved;
    }

    /// Ends it on both sides; what was under way is lost.
    void cut() {
        if (!over) {
            over = true;
            waiting.clear();
            cluster.exchange.disconnected();
            if (session != null) {
                session.ended();
            }
        }
    }
}
