// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.fakes;

import io.fathom.base.lang.Problem;
import io.fathom.base.posix.FileIdentity;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.node.cni.enrol.Proxies;
import io.fathom.wire.zds.PodInfo;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/// One proxy that serves whatever it is given, unless told to refuse.
public final class FakeProxies implements Proxies {
    private final Map<String, FileIdentity> served = new ConcurrentHashMap<>();
    public final List<String> asked = new CopyOnWriteArrayList<>();
    public final AtomicInteger refusals = new AtomicInteger();

    @Override
    public Optional<Problem> add(PodInfo pod, NetworkNamespace namespace) {
        asked.add("add " + pod.uid());
        if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            return Optional.of(
                    new Problem("zds-refused", "refused", "none", Problem.Origin.SERVER, Problem.Retry.SENSIBLE));
        }
        served.put(pod.uid(), namespace.identity());
        return Optional.empty();
    }

    @Override
    public void delete(String uid) {
        asked.add("delete " + uid);
        served.remove(uid);
    }

    public boolean serves(String uid) {
        return served.containsKey(uid);
    }

    public Optional<FileIdentity> namespace(String uid) {
        return Optional.ofNullable(served.get(uid));
    }
}
