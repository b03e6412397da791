// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.relay;

import io.fathom.wire.hbone.Tunnel;
import io.fathom.wire.hbone.TunnelListener;
import io.netty.buffer.ByteBuf;

/// The side that is a tunnel. What it receives is given back to the peer's window only once the other leg takes it.
final class TunnelLeg implements Leg, TunnelListener {
    private final Tunnel tunnel;
    private final Relay relay;
    private int owed;

    TunnelLeg(Tunnel tunnel, Relay relay) {
        this.tunnel = tunnel;
        this.relay = relay;
    }

    @Override
    public void start() {
        tunnel.listen(this);
    }

    @Override
    public void received(ByteBuf data) {
        var bytes = data.readableBytes();
        if (relay.pass(this, data)) {
            tunnel.consumed(bytes);
        } else {
            owed += bytes;
        }
    }

    @Override
    public void readComplete() {
        relay.flush(this);
    }

    @Override
    public void writable() {
        relay.writable(this);
    }

    @Override
    public void finished() {
        relay.finished(this);
    }

    @Override
    public void reset(Tunnel.Reset reason) {
        relay.broken(this);
    }

    @Override
    public void write(ByteBuf data) {
        tunnel.write(data);
    }

    @Override
    public void flush() {
        tunnel.flush();
    }

    @Override
    public boolean isWritable() {
        return tunnel.isWritable();
    }

    @Override
    public void resume() {
        if (owed > 0) {
            var bytes = owed;
            owed = 0;
            tunnel.consumed(bytes);
        }
    }

    /// Its pool or server looks after what is still to be sent.
    @Override
    public void finish() {
        tunnel.finish();
        tunnel.flush();
        relay.allWritten();
    }

    @Override
    public void abort() {
        tunnel.reset(Tunnel.Reset.CONNECTION_RESET);
    }

    @Override
    public void release() {}
}
