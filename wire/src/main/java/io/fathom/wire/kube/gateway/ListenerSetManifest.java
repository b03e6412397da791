// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.gateway.GatewayManifest.Listener;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;

/// A ListenerSet of the Gateway API: listeners that somebody adds to a Gateway.
///
/// @param generation of its spec, 0 when not known; statuses say which one they are about
public record ListenerSetManifest(Metadata metadata, Parent parent, List<Listener> listeners, int generation)
        implements Manifest {
    public static final String KIND = "ListenerSet";

    /// What it adds them to.
    ///
    /// @param namespace empty for that of the set
    public record Parent(String group, String kind, String namespace, String name) {
        public boolean isGateway() {
            return group.equals(RouteManifest.GROUP) && kind.equals("Gateway");
        }
    }

    public ListenerSetManifest {
        listeners = List.copyOf(listeners);
    }

    /// The Gateway that it wants to add them to, if it is one.
    public ObjectKey gateway() {
        return new ObjectKey(
                key().cluster(), parent.namespace().isEmpty() ? namespace() : parent.namespace(), parent.name());
    }
}
