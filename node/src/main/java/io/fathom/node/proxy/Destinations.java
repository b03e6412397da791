// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import io.fathom.model.mesh.IpPort;
import io.netty.channel.epoll.EpollSocketChannel;

/// Where redirected connections were going: [io.fathom.node.socket.OriginalDestination], but for tests that redirect
/// nothing.
@FunctionalInterface
public interface Destinations {
    /// Called on an accepted channel that may not be registered yet.
    IpPort of(EpollSocketChannel accepted);
}
