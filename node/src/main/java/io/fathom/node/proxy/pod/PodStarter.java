// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.pod;

import io.fathom.node.inpod.PodProxy;
import io.fathom.node.inpod.PodProxyFactory;
import io.fathom.node.socket.Sockets;
import io.fathom.wire.zds.PodInfo;
import java.util.List;

/// Starts the same set of listeners and parts in each pod.
public record PodStarter(PodPorts ports, List<PodPart> others, NodeParts parts) implements PodProxyFactory {
    public PodStarter {
        others = List.copyOf(others);
    }

    @Override
    public PodProxy start(PodInfo pod, Sockets sockets) {
        return ServedPod.start(pod, sockets, ports, others, parts);
    }
}
