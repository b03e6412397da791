// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet.simulation;

import io.fathom.fleet.agent.ExchangeStore;
import io.fathom.model.fleet.Interest;
import java.util.Map;
import java.util.Optional;

/// What an agent has kept, for the next one of the same cluster.
final class MemoryExchangeStore implements ExchangeStore {
    private Optional<KeptViews> views = Optional.empty();
    private Map<String, Long> dates = Map.of();

    @Override
    public Optional<KeptViews> views(Interest interest) {
        return views;
    }

    @Override
    public void keep(KeptViews kept, Interest interest) {
        views = Optional.of(kept);
    }

    @Override
    public Map<String, Long> exportDates() {
        return dates;
    }

    @Override
    public void keepExportDates(Map<String, Long> kept) {
        dates = kept;
    }
}
