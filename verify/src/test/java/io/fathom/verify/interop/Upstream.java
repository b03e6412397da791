// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import io.fathom.verify.client.Answer;
import io.fathom.verify.client.DeltaClient;
import io.fathom.verify.peers.Istiod;
import io.fathom.verify.peers.KubeApiServer;

/// Upstream's control plane on a cluster with a client on it. It can be started afresh: what it then says follows from
/// the objects alone, not from the order in which it met them.
final class Upstream implements AutoCloseable {
    private final KubeApiServer cluster;
    private Istiod istiod;
    private DeltaClient client;

    Upstream(KubeApiServer cluster) {
        this.cluster = cluster;
        istiod = Istiod.start(cluster);
        client = DeltaClient.connect(istiod.port());
    }

    boolean answered() {
        return client.answered();
    }

    Answer answer() {
        return client.answer();
    }

    void restart() {
        close();
        istiod = Istiod.start(cluster);
        client = DeltaClient.connect(istiod.port());
    }

    @Override
    public void close() {
        client.close();
        istiod.close();
    }
}
