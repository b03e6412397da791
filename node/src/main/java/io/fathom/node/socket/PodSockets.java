// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.socket;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.posix.NamespaceThread;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.posix.PosixException;
import io.netty.channel.ChannelException;

/// Makes sockets in pods. There is one of these, with one thread that does all the travelling. For any thread.
public final class PodSockets implements AutoCloseable {
    private final NamespaceThread thread;
    private final SocketMaker maker;

    private PodSockets(NamespaceThread thread, SocketMaker maker) {
        this.thread = thread;
        this.maker = maker;
    }

    /// Proves that the process may enter namespaces and mark its packets.
    ///
    /// @throws ProblemException naming the capability that is missing
    public static PodSockets start(SocketConfig config) throws ProblemException {
        try {
            var thread = NamespaceThread.start();
            try {
                return new PodSockets(thread, new SocketMaker(config));
            } catch (ChannelException e) {
                thread.close();
                throw missing(String.valueOf(e.getMessage()));
            }
        } catch (PosixException e) {
            throw missing(String.valueOf(e.getMessage()));
        }
    }

    private static ProblemException missing(String message) {
        return new ProblemException(new Problem(
                "inpod-not-permitted",
                "sockets in pods cannot be made: " + message,
                "run the node proxy as root with the capabilities SYS_ADMIN and NET_RAW (NET_ADMIN before Linux 5.17)",
                Problem.Origin.SERVER,
                Problem.Retry.POINTLESS));
    }

    /// Takes the namespace over: closing the sockets closes it.
    public NamespaceSockets in(NetworkNamespace namespace) {
        return new NamespaceSockets(thread, namespace, maker);
    }

    @Override
    public void close() {
        thread.close();
    }
}
