// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.inpod;

import io.fathom.base.lang.ProblemException;
import io.fathom.node.socket.Sockets;
import io.fathom.wire.zds.PodInfo;

/// Starts the proxy of a pod.
@FunctionalInterface
public interface PodProxyFactory {
    /// Listens in the pod before it returns, within a second or so: the agent waits for the answer, and with it the
    /// pod's start. It must not wait for the control plane.
    ///
    /// @param sockets in the pod's namespace; good until the proxy is closed
    /// @throws ProblemException if it cannot listen; it is called again later
    PodProxy start(PodInfo pod, Sockets sockets) throws ProblemException;
}
