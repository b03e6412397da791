// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.inbound;

import io.fathom.node.telemetry.Reporter;
import io.netty.channel.epoll.EpollSocketChannel;

/// Takes plain connections that were captured on their way to the application (15006). Policies are asked without an
/// identity; what may not be is closed. If the pod asks so, the way to the application is through its waypoint.
public final class CapturedAcceptor {
    private final Inbound inbound;

    public CapturedAcceptor(Inbound inbound) {
        this.inbound = inbound;
    }

    /// Takes an accepted connection that is not registered with an event loop.
    public void captured(EpollSocketChannel accepted) {
        inbound.telemetry().metrics().socketOpened(Reporter.DESTINATION);
        inbound.config().prepare(accepted);
        inbound.ledger().arrived();
        new CapturedConnection(inbound, accepted, inbound.loops().next()).begin();
    }
}
