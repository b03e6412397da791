// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.netty.buffer.ByteBuf;

/// Hears what happens to a [Tunnel], on its event loop.
public interface TunnelListener {
    /// Takes the buffer over. [Tunnel#consumed] gives the window back.
    void received(ByteBuf data);

    /// A batch of received frames is over: a good moment to flush what was made of them.
    void readComplete();

    /// The tunnel takes writes again.
    void writable();

    /// The peer writes no more; our direction goes on.
    void finished();

    /// Both directions are over before their end. Called at most once, and nothing after it.
    void reset(Tunnel.Reset reason);
}
