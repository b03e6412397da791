// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.model.fleet.Interest;
import io.fathom.model.fleet.OriginMark;
import io.fathom.model.fleet.ServiceView;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What of a [ServiceExchange] outlives the agent.
public interface ExchangeStore {
    /// What was held of other clusters.
    ///
    /// @param cursor up to where each was known
    /// @param view what determined which of them
    record KeptViews(List<ServiceView> views, List<OriginMark> cursor, long view) {
        public KeptViews {
            views = List.copyOf(views);
            cursor = List.copyOf(cursor);
        }
    }

    /// Nothing when nothing was kept, or cannot be read. What was kept for another interest has `view` 0.
    Optional<KeptViews> views(Interest interest);

    void keep(KeptViews views, Interest interest);

    /// Since when services have been exported, by path, in seconds since 1970.
    Map<String, Long> exportDates();

    void keepExportDates(Map<String, Long> dates);
}
