// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.pod;

import io.fathom.node.proxy.LocalPod;
import io.fathom.node.socket.Sockets;

/// Something else that serves a pod and lives as long as its proxy, such as DNS.
@FunctionalInterface
public interface PodPart {
    /// Starts it with sockets of the pod. Throws a [io.fathom.base.lang.ProblemException] if that fails.
    Running start(LocalPod pod, Sockets sockets);

    /// Closing it stops it at once.
    interface Running extends AutoCloseable {
        @Override
        void close();
    }
}
