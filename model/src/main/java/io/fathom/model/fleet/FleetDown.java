// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

import java.util.List;
import java.util.Set;

/// What the server says on the stream of an agent.
public sealed interface FleetDown {
    /// The answer to a hello.
    ///
    /// @param last what the server has of this cluster
    /// @param exports what it has of its services
    /// @param exportsAt up to where it knows them
    record Welcome(String server, FactVersion last, OriginDigest exports, FactVersion exportsAt) implements FleetDown {}

    /// Gateways of other clusters. Whatever is not named stays as it is.
    ///
    /// @param removed uids of clusters that left, or share no longer with this one
    record Peers(List<FleetPeer> changed, List<String> removed) implements FleetDown {
        public Peers {
            changed = List.copyOf(changed);
            removed = List.copyOf(removed);
        }
    }

    /// Services, each with all clusters that have it.
    record Views(List<ServiceView> views) implements FleetDown {
        public Views {
            views = List.copyOf(views);
        }
    }

    /// Other numbers of endpoints, for services of clusters that were told before.
    record Weights(List<ViewWeight> weights) implements FleetDown {
        public Weights {
            weights = List.copyOf(weights);
        }
    }

    /// The endpoints of one service in one cluster.
    ///
    /// @param key as of [ServiceFact#key]
    record ViewWeight(int key, int origin, Blob spread) {}

    /// Everything there is has been told.
    ///
    /// @param marks up to where clusters are known now; those that are not named are where they were
    /// @param view to be shown in the next hello
    record Complete(List<OriginMark> marks, long view) implements FleetDown {
        public Complete {
            marks = List.copyOf(marks);
        }
    }

    /// From here to [RepairEnd] everything there is of that cluster is told again.
    record RepairBegin(int origin) implements FleetDown {}

    /// What was not told of it meanwhile has gone.
    record RepairEnd(int origin) implements FleetDown {}

    /// The cluster is to send everything again that it exports.
    record ResendExports() implements FleetDown {}

    /// Of these clusters the server may not know everything: what is missing of them is not gone.
    record Unsettled(Set<Integer> origins) implements FleetDown {
        public Unsettled {
            origins = Set.copyOf(origins);
        }
    }

    /// By now the server knows everything of these clusters, too.
    record Settled(Set<Integer> origins) implements FleetDown {
        public Settled {
            origins = Set.copyOf(origins);
        }
    }

    /// What comes next takes its time.
    record SlowDown(String reason) implements FleetDown {}

    /// Of what the receiver should hold of each cluster, or of [OriginDigest#ALL_ORIGINS] together.
    record Digests(List<OriginDigest> digests) implements FleetDown {
        public Digests {
            digests = List.copyOf(digests);
        }
    }

    /// Clusters export a service by one name with different ports.
    ///
    /// @param path of the service
    /// @param winner the cluster that exported it first
    /// @param others that disagree; none when all agree again
    record PortConflict(String path, String winner, List<String> others) implements FleetDown {
        public PortConflict {
            others = List.copyOf(others);
        }
    }

    /// What became of the facts with that version.
    record Receipt(FactVersion version, List<Rejection> rejected) implements FleetDown {
        public Receipt {
            rejected = List.copyOf(rejected);
        }
    }

    /// This cluster has left the fleet; nothing comes after it.
    record Revoked(String reason) implements FleetDown {}

    /// A fact that does not count.
    ///
    /// @param id of the fact
    record Rejection(String id, String code, String reason) {}
}
