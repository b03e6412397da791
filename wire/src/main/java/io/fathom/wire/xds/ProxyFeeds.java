// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.ClientNode;
import io.fathom.wire.xds.stream.Verdict;
import java.util.Optional;

/// Where Envoys get their configuration from. Called from many threads; must not block for long.
public interface ProxyFeeds {
    /// Serves no Envoys.
    ProxyFeeds NONE = _ -> Optional.empty();

    /// What that client is configured with; the same store for all clients that are configured alike. Empty for a
    /// client that gets none of it. Each one that is given is given back once.
    Optional<ResourceStore> feed(ClientNode client);

    /// A client that was given that feed has gone.
    default void left(ResourceStore feed) {}

    /// Whether a resource is only for clients that have proved who they are.
    default boolean isConfidential(XdsType type, String name) {
        return type.equals(XdsType.SECRET);
    }

    /// Whether a resource is kept from a client that did prove who it is.
    default boolean isKeptFrom(ClientNode client, XdsType type, String name) {
        return false;
    }

    /// A client took a response that was made from its feed.
    default void accepted(ResourceStore feed, Verdict verdict) {}

    /// A client refused such a response, or a part of it.
    default void refused(ResourceStore feed, Verdict verdict, String error) {}
}
