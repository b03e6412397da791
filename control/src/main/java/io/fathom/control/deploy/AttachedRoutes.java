package io.fathom.control.deploy;

import java.util.Optional;

/// How many routes the listeners of Gateways have.
@FunctionalInterface
public interface AttachedRoutes {
    /// Nobody counts them.
    AttachedRoutes NONE = _ -> 0;

    /// A listener.
    ///
    /// @param set the ListenerSet that it is in; empty for one of the Gateway's own
    record Place(Name gateway, Optional<Name> set, String listener) {}

    record Name(String namespace, String name) {}

    int count(Place place);
}
