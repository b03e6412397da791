// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.order;

import io.fathom.model.mesh.Address;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/// An address that node proxies are not told to send through its new waypoints yet. All else of it they are told.
/// Guarded by its owner.
final class HeldAddress {
    /// Whose waypoints node proxies use.
    private final Address shown;

    private final Address wanted;
    private final Set<ObjectKey> lacking;
    private final Set<ObjectKey> refusing = new HashSet<>();
    private Instant deadline;

    HeldAddress(Address shown, Address wanted, Set<ObjectKey> lacking, Instant deadline) {
        this.shown = shown;
        this.wanted = wanted;
        this.lacking = new HashSet<>(lacking);
        this.deadline = deadline;
    }

    Address shown() {
        return shown;
    }

    Address wanted() {
        return wanted;
    }

    Instant deadline() {
        return deadline;
    }

    /// The waypoints that do not serve it yet.
    Set<ObjectKey> lacking() {
        return lacking;
    }

    Set<ObjectKey> refusing() {
        return refusing;
    }

    void postpone(Instant other) {
        deadline = other;
    }
}
