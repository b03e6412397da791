// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.store;

import io.fathom.base.flow.PersistentMap;
import java.time.Instant;
import java.util.Map;

/// All resources of all types after one published batch. Immutable.
public final class StoreCut {
    private final long sequence;
    private final Instant at;
    private final long nanos;
    private final Map<XdsType, Catalog> catalogs;

    /// @param nanos the same moment on the clock that measures durations
    StoreCut(long sequence, Instant at, long nanos, Map<XdsType, Catalog> catalogs) {
        this.sequence = sequence;
        this.at = at;
        this.nanos = nanos;
        this.catalogs = Map.copyOf(catalogs);
    }

    /// 0 before the first batch, then counting up by one.
    public long sequence() {
        return sequence;
    }

    public Instant at() {
        return at;
    }

    /// What responses made from this cut carry as their version.
    public String version() {
        return at + "/" + sequence;
    }

    public PersistentMap<String, XdsResource> resources(XdsType type) {
        return catalog(type).byName();
    }

    public long nanos() {
        return nanos;
    }

    public Catalog catalog(XdsType type) {
        return catalogs.getOrDefault(type, Catalog.EMPTY);
    }

    Map<XdsType, Catalog> catalogs() {
        return catalogs;
    }
}
