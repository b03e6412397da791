// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.base.lang.Problem;
import io.fathom.model.fleet.ExportChange;
import io.fathom.model.fleet.OriginView;
import io.fathom.model.peering.GatewayReach;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// The control plane of the agent's own cluster: it says what the cluster exports, and is told what others do. It may
/// come and go. All methods are called by the thread of the agent and must not block.
public interface LocalControlPlane extends AutoCloseable {
    /// For an agent that writes Gateways and nothing else.
    LocalControlPlane NONE = new LocalControlPlane() {
        @Override
        public void follow(Consumer<ExportChange> exports, Supplier<Collection<OriginView>> known) {}

        @Override
        public void tell(OriginView view) {}

        @Override
        public void forget(String cluster) {}

        @Override
        public void close() {}
    };

    /// Begins. Called once, before anything else.
    ///
    /// @param exports takes what is exported, from any thread; the first change of each connection is an
    ///     [ExportChange.All]. While there is no connection nothing is said, and what was said holds.
    /// @param known everything that was told and not forgotten, for a control plane that has just been
    ///     connected: one view for each cluster, to be told as if it came by [#tell]. It is a delta where
    ///     more may be known than the agent has found in its files: then what is missing is not gone. From
    ///     any thread; waits for the agent, which meanwhile may call [#tell], so this may be newer than
    ///     what is told next, never older.
    void follow(Consumer<ExportChange> exports, Supplier<Collection<OriginView>> known);

    /// What is known of another cluster now.
    void tell(OriginView view);

    /// A cluster has left the fleet, or shares with this one no more.
    void forget(String cluster);

    /// The keys that sign for this cluster, as it says; none if it has not said so yet.
    default Set<String> issuers() {
        return Set.of();
    }

    /// How it reaches the gateways of other clusters; nothing if it has not said so yet.
    default Optional<LocalReach> reach() {
        return Optional.empty();
    }

    /// What is wrong with it.
    default List<Problem> problems() {
        return List.of();
    }

    /// What a control plane finds at the gateways of other clusters.
    ///
    /// @param age since it was heard; nothing while it is connected
    record LocalReach(List<GatewayReach> rows, Optional<Duration> age) {
        public LocalReach {
            rows = List.copyOf(rows);
        }
    }

    @Override
    void close();
}
