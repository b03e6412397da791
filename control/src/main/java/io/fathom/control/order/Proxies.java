// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.order;

import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/// The proxies that an order is kept between. Callbacks may come at once or later, on any thread.
public interface Proxies {
    /// How an attempt ended.
    enum Answer {
        /// All connected proxies have it.
        SERVED,
        /// A proxy refuses it; what it is told is about to change, or will not be served.
        REFUSED,
        /// A proxy has gone before it answered.
        LEFT
    }

    /// Which proxies of a waypoint are connected.
    enum Presence {
        /// Nobody is, and nobody is known.
        NONE,
        /// There are pods whose proxy is not connected here.
        MISSING,
        ALL
    }

    /// A callback that is to come; closing does without it.
    interface Wait extends AutoCloseable {
        @Override
        void close();
    }

    /// The waypoints behind these addresses that are to serve it.
    Set<ObjectKey> waypoints(Address address, Set<GatewayAddress> waypoints);

    Presence presence(ObjectKey waypoint);

    /// Whether the proxies of a waypoint are told to serve it: not if they refuse to.
    boolean offers(ObjectKey waypoint, Address address);

    /// Grows whenever the proxies of a waypoint are told something new.
    long version(ObjectKey waypoint);

    /// Calls back when the proxies of a waypoint have acknowledged what they are told now of these.
    Wait whenServed(ObjectKey waypoint, Collection<Address> addresses, Consumer<Answer> done);

    /// Calls back when node proxies have acknowledged what they are told now.
    Wait whenNodeProxiesKnow(Runnable done);

    /// Waypoints need not serve any more what left them up to these turns, by resource name.
    void forget(Map<String, Long> turns);

    /// The proxies of these waypoints, which are no more, need not serve anything.
    void dismiss(Set<ObjectKey> waypoints);
}
