// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.relay;

import io.netty.buffer.ByteBuf;

/// One side of a [Relay], on its event loop.
sealed interface Leg permits TcpLeg, TunnelLeg {
    /// From now on it tells the relay what it receives.
    void start();

    /// Takes the buffer over.
    void write(ByteBuf data);

    void flush();

    /// Whether the other leg should go on reading.
    boolean isWritable();

    /// The other leg has become writable again.
    void resume();

    /// Nothing more will be written. Tells the relay when all of it is out.
    void finish();

    /// Ends it at once, so that the peer can tell it from a normal end.
    void abort();

    /// All is written and read: lets go of it.
    void release();
}
