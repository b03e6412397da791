// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.wire.kube.gateway.GatewayManifest.CertificateRef;
import io.fathom.wire.kube.gateway.GatewayManifest.Listener;
import io.fathom.wire.kube.gateway.GatewayManifest.RouteKind;
import java.util.List;
import java.util.Optional;

/// What became of a listener, apart from whether proxies of its Gateway run. Whoever configures proxies serves it
/// exactly when [#isServed()], and its status says the same.
///
/// @param kinds of routes that it takes
/// @param authority who vouches for its clients, if the Gateway asks for that
/// @param unknown what has not been read yet: until then the listener counts as one without that fault
public record ListenerVerdict(
        ListenerKey key,
        Listener listener,
        List<RouteKind> kinds,
        Faults faults,
        Optional<CertificateRef> authority,
        Optional<String> unknown) {

    /// What is wrong with it.
    ///
    /// @param objection to the listener as such
    /// @param conflict with another listener
    /// @param unusable something that it cannot do without
    /// @param unresolved a reference that leads nowhere, whether that matters or not
    /// @param silent why no proxy answers there, although nothing is wrong
    public record Faults(
            Optional<Finding> objection,
            Optional<Finding> conflict,
            Optional<Finding> unusable,
            Optional<Finding> unresolved,
            Optional<Finding> silent) {}

    public ListenerVerdict {
        kinds = List.copyOf(kinds);
    }

    public boolean isAccepted() {
        return faults.objection().isEmpty() && faults.conflict().isEmpty();
    }

    /// Whether nothing is wrong that matters.
    public boolean isValid() {
        return isAccepted() && faults.unusable().isEmpty();
    }

    /// Whether proxies answer there.
    public boolean isServed() {
        return isValid() && faults.silent().isEmpty();
    }

    /// Why they do not.
    public Optional<Finding> hindrance() {
        return faults.conflict().or(faults::objection).or(faults::unusable).or(faults::silent);
    }

    /// What it is for: a host, possibly with a leading `*`.
    String host() {
        return Hostnames.orAll(listener.hostname());
    }
}
