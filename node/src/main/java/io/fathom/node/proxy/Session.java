// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import io.fathom.model.policy.Attempt;
import io.fathom.node.proxy.relay.Relay;
import io.fathom.node.telemetry.ConnectionReport;
import io.fathom.node.telemetry.ResponseFlag;
import io.fathom.node.telemetry.Security;
import io.fathom.wire.tls.TlsPeer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One connection from when it may be until it is over: in the ledger, counted, and cut when told. To be used on its
/// event loop only, but for [#cut]. Ends exactly once.
public final class Session implements Relay.Observer {
    private final EventLoop loop;
    private final ConnectionReport report;
    private final ConnectionLedger ledger;
    private final Runnable afterwards;
    private @Nullable OpenConnection entry;
    private @Nullable Relay relay;
    private @Nullable CloseReason cut;
    private boolean over;

    /// Runs `afterwards` once it is over.
    public Session(EventLoop loop, ConnectionReport report, ConnectionLedger ledger, Runnable afterwards) {
        this.loop = loop;
        this.report = report;
        this.ledger = ledger;
        this.afterwards = afterwards;
    }

    /// Enters it in the ledger; with an attempt if our policies have a say. From here on it may be cut.
    public void enter(OpenConnection.Shown shown, Optional<Attempt> attempt, TlsPeer peer) {
        var fresh = attempt.map(asked -> OpenConnection.inbound(shown, asked, peer, this::cut))
                .orElseGet(() -> OpenConnection.outbound(shown, peer, this::cut));
        entry = fresh;
        if (report.facts().security() == Security.MUTUAL_TLS && peer.chain().isEmpty()) {
            report.untracked();
        }
        if (!ledger.add(fresh)) {
            cut = CloseReason.DRAINED;
        }
    }

    /// Whether it was cut before it began.
    public boolean isCut() {
        return cut != null;
    }

    /// Begins, with what the client sent before; takes that over.
    public void start(Relay fresh, ByteBuf early) {
        relay = fresh;
        if (cut == null) {
            report.established();
            fresh.start(early);
        } else {
            early.release();
            fresh.cut();
        }
    }

    private void cut(CloseReason reason) {
        loop.execute(() -> {
            if (over || cut != null) {
                return;
            }
            cut = reason;
            if (relay != null) {
                relay.cut();
            }
        });
    }

    @Override
    public void fromClient(int bytes) {
        report.fromClient(bytes);
    }

    @Override
    public void fromServer(int bytes) {
        report.fromServer(bytes);
    }

    @Override
    public void ended() {
        var reason = cut;
        if (reason == null) {
            leave();
            report.end();
        } else {
            fail(reason.flag(), reason.message());
        }
    }

    /// It is over without having begun.
    public void fail(ResponseFlag flag, String message) {
        leave();
        report.end(flag, message);
    }

    /// It is over because it was cut before it began.
    public void failCut() {
        var reason = cut == null ? CloseReason.DRAINED : cut;
        fail(reason.flag(), reason.message());
    }

    private void leave() {
        if (!over) {
            over = true;
            if (entry != null) {
                ledger.remove(entry);
            }
            afterwards.run();
        }
    }
}
