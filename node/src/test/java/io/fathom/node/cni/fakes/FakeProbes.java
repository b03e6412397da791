// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.fakes;

import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.rules.ProbeSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

public final class FakeProbes implements ProbeSet {
    private final Map<Ip, String> entries = new ConcurrentHashMap<>();

    @Override
    public void prepare() {}

    @Override
    public void put(Ip address, String uid) {
        entries.put(address, uid);
    }

    @Override
    public void remove(Ip address, String uid) {
        entries.remove(address, uid);
    }

    @Override
    public Map<Ip, String> entries() {
        return Map.copyOf(entries);
    }

    @Override
    public void flush() {
        entries.clear();
    }

    @Override
    public void discard() {
        entries.clear();
    }
}
