// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;

/// One established CONNECT stream, to be used on its event loop only.
///
/// Bytes are handed over without a copy; whoever holds a buffer releases it. Nothing is buffered without bound: a
/// writer stops when [#isWritable()] says so, and what was received counts against the peer's window until it is
/// [#consumed]. Whoever is given a tunnel listens to it or resets it: what has arrived is kept for them until
/// then, even beyond the end of the connection.
public interface Tunnel {
    /// Where both legs of a proxied connection live.
    EventLoop loop();

    /// From now on the listener hears of everything, first of what has arrived already.
    void listen(TunnelListener listener);

    /// Takes the buffer over. It goes out with the next [#flush], as soon as windows allow.
    void write(ByteBuf data);

    void flush();

    /// False while more waits than is good; [TunnelListener#writable()] tells when it is true again.
    boolean isWritable();

    /// So many received bytes have been passed on: the peer may send as many more.
    void consumed(int bytes);

    /// Nothing more will be written; what was written still goes out. The other direction goes on.
    void finish();

    /// Ends both directions at once. Does nothing when the stream is over.
    void reset(Reset reason);

    /// Why a stream ended early.
    enum Reset {
        /// The peer's application reset its connection, or ours did.
        CONNECTION_RESET,
        /// No longer wanted, as after a change of policy. Some peers also say this when all is done: to an
        /// application it is the end of the data rather than an error.
        CANCELLED,
        /// The other side broke the protocol, or vanished.
        BROKEN
    }
}
