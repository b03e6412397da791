// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.model.fleet.Blob;
import io.fathom.model.fleet.OriginDigest;
import io.fathom.model.fleet.ServiceFact;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What clusters export and may not, so that both sides agree on what has been said, and nothing has to be said again
/// when it is allowed. Bounded for each cluster; what is beyond that is said again in vain. Guarded by its
/// [ServiceDirectory].
final class RefusedExports {
    private static final long MOST_BYTES = 4 << 20;

    private final Map<Integer, OriginRefusals> origins = new HashMap<>();

    /// Those of one cluster.
    private static final class OriginRefusals {
        private final Map<String, ServiceFact> facts = new HashMap<>();
        private final Map<Integer, String> paths = new HashMap<>();
        private long bytes;

        void add(ServiceFact fact) {
            remove(fact.path());
            if (bytes + size(fact) <= MOST_BYTES) {
                facts.put(fact.path(), fact);
                paths.put(ServiceFact.key(fact.path()), fact.path());
                bytes += size(fact);
            }
        }

        void remove(String path) {
            var before = facts.remove(path);
            if (before != null) {
                paths.remove(ServiceFact.key(path), path);
                bytes -= size(before);
            }
        }

        private static long size(ServiceFact fact) {
            return (long) fact.path().length()
                    + fact.body().size()
                    + fact.spread().size();
        }
    }

    void add(int origin, ServiceFact fact) {
        origins.computeIfAbsent(origin, _ -> new OriginRefusals()).add(fact);
    }

    void remove(int origin, String path) {
        Optional.ofNullable(origins.get(origin)).ifPresent(refusals -> refusals.remove(path));
    }

    /// Everything of a cluster is said again, or the cluster has left.
    void forget(int origin) {
        origins.remove(origin);
    }

    List<ServiceFact> of(int origin) {
        return Optional.ofNullable(origins.get(origin))
                .map(refusals -> List.copyOf(refusals.facts.values()))
                .orElse(List.of());
    }

    /// Takes new numbers of endpoints in, for a service that is named by its key.
    ///
    /// @return whether there is one with that key
    boolean weigh(int origin, int key, Blob spread) {
        var found = Optional.ofNullable(origins.get(origin))
                .flatMap(refusals -> Optional.ofNullable(refusals.paths.get(key))
                        .flatMap(path -> Optional.ofNullable(refusals.facts.get(path))));
        found.ifPresent(fact -> add(origin, fact.spread(spread)));
        return found.isPresent();
    }

    /// What a cluster has said in all, of which that is what was accepted.
    OriginDigest with(OriginDigest accepted) {
        var all = accepted;
        for (var fact : of(accepted.origin())) {
            all = all.plus(fact.hash64());
        }
        return all;
    }
}
