// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.gateway.ListenerSetManifest.Parent;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.tree.Field;

/// Reads ListenerSets of the Gateway API.
public final class ListenerSetReader implements KindReader {
    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        var parent = spec.at("parentRef");
        return new ListenerSetManifest(
                metadata,
                new Parent(
                        interner.text(parent.at("group").text(RouteManifest.GROUP)),
                        interner.text(parent.at("kind").text("Gateway")),
                        interner.text(parent.at("namespace").text()),
                        interner.text(parent.at("name").requiredText())),
                spec.at("listeners").items().stream()
                        .map(listener -> GatewayReader.listener(listener, interner))
                        .toList(),
                GatewayReader.generation(object));
    }
}
