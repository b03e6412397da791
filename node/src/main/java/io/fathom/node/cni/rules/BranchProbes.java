// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.model.mesh.Ip;
import java.util.Map;

/// Keeps the routes to pods with network cards of their own in step with the addresses that are probed.
record BranchProbes(ProbeSet probes, BranchRoutes routes) implements ProbeSet {
    @Override
    public void prepare() {
        probes.prepare();
    }

    @Override
    public void put(Ip address, String uid) {
        routes.add(address);
        probes.put(address, uid);
    }

    @Override
    public void remove(Ip address, String uid) {
        if (uid.equals(probes.entries().get(address))) {
            probes.remove(address, uid);
            routes.remove(address);
        }
    }

    @Override
    public Map<Ip, String> entries() {
        return probes.entries();
    }

    @Override
    public void flush() {
        probes.flush();
    }

    @Override
    public void discard() {
        probes.discard();
    }
}
