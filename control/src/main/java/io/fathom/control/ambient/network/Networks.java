// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.network;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Keys;
import io.fathom.control.ambient.input.Markers;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;

/// The network that each cluster is on: a label of its system namespace, else what the program was told.
public final class Networks {
    private final AmbientConfig config;
    private final Table<ObjectKey, String> labelled;

    public Networks(Flow flow, Inputs inputs, AmbientConfig config) {
        this.config = config;
        labelled = flow.derive(
                "networks",
                inputs.namespaces(),
                (fetch, namespace) -> namespace.name().equals(config.systemNamespace())
                        ? Optional.ofNullable(namespace.labels().get(Markers.NETWORK))
                        : Optional.empty());
    }

    /// The network of the cluster that an object belongs to. Costs one tracked fetch.
    public String of(Fetch<?> fetch, ObjectKey object) {
        return fetch.one(labelled, Keys.clusterWide(object, config.systemNamespace()))
                .orElseGet(config::network);
    }
}
