// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.lab;

import io.fathom.base.lang.ProblemException;
import io.fathom.base.posix.Descriptor;
import io.fathom.base.posix.PosixException;
import io.fathom.wire.zds.PodInfo;
import io.fathom.wire.zds.ZdsConnection;
import io.fathom.wire.zds.ZdsListener;
import io.fathom.wire.zds.ZdsRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// The part of a node agent that hands pods to node proxies: every proxy that connects gets all pods of the node.
final class LabAgent implements AutoCloseable {
    private final ZdsListener listener;
    private final List<LabPod> pods;
    private final Queue<ZdsConnection> connections = new ConcurrentLinkedQueue<>();
    private final Queue<String> refusals = new ConcurrentLinkedQueue<>();

    LabAgent(Path socket, List<LabPod> pods) {
        this.listener = ZdsListener.bind(socket);
        this.pods = List.copyOf(pods);
        Thread.ofPlatform().daemon().name("lab-agent").start(this::serve);
    }

    /// What proxies had against pods.
    List<String> refusals() {
        return List.copyOf(refusals);
    }

    private void serve() {
        for (var next = listener.accept(); next.isPresent(); next = listener.accept()) {
            connections.add(next.get());
            try {
                handOver(next.get());
            } catch (ProblemException | PosixException e) {
                refusals.add(String.valueOf(e.getMessage()));
            }
        }
    }

    private void handOver(ZdsConnection proxy) throws PosixException {
        var _ = proxy.greeting();
        for (var pod : pods) {
            try (var namespace = Descriptor.openReadOnly(pod.namespace().path())) {
                var info = new PodInfo(pod.uid(), pod.name(), LabPod.NAMESPACE, pod.account());
                proxy.send(new ZdsRequest.Add(info, namespace)).ifPresent(refusals::add);
            }
        }
        proxy.send(new ZdsRequest.SnapshotSent()).ifPresent(refusals::add);
    }

    @Override
    public void close() {
        listener.close();
        connections.forEach(ZdsConnection::close);
    }
}
