// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.enrol;

import io.fathom.node.cni.zds.KnownPod;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The pods that node proxies have to know. For any thread.
public final class Roster {
    private final Map<String, KnownPod> pods = new ConcurrentHashMap<>();

    void put(HeldPod held) {
        pods.put(held.pod().uid(), new KnownPod(held.pod().info(), held.namespace()));
    }

    void remove(String uid) {
        pods.remove(uid);
    }

    public List<KnownPod> all() {
        return List.copyOf(pods.values());
    }
}
