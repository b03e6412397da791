// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.order;

import io.fathom.model.mesh.Address;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Set;

/// Hears what becomes of the order. Not called within a commit, so it may change the mesh.
public interface OrderObserver {
    /// Nobody listens.
    OrderObserver NONE = new OrderObserver() {};

    /// The proxies of these waypoints have not answered in time, and node proxies were told to send there all the same.
    default void unanswered(Set<ObjectKey> waypoints, int addresses) {}

    /// The proxies of a waypoint refuse what it needs: node proxies go on as they did before.
    default void refused(Address address, Set<ObjectKey> waypoints) {}

    /// It is not held back any more.
    default void settled(Set<String> names) {}

    /// The proxies of these waypoints answer again.
    default void answered(Set<ObjectKey> waypoints) {}

    /// Node proxies have not acknowledged in time that they do not send somewhere any more.
    default void nodeProxiesLate() {}
}
