// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.network;

import io.fathom.base.flow.Cut;
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
    private final Table<ObjectKey, String> elsewhere;

    /// @param others the objects of other clusters
    public Networks(Flow flow, Inputs inputs, Inputs others, AmbientConfig config) {
        this.config = config;
        labelled = labelled(flow, "networks", inputs);
        elsewhere = labelled(flow, "remote/networks", others);
    }

    private Table<ObjectKey, String> labelled(Flow flow, String name, Inputs inputs) {
        return flow.derive(
                name,
                inputs.namespaces(),
                (fetch, namespace) -> namespace.name().equals(config.systemNamespace())
                        ? Optional.ofNullable(namespace.labels().get(Markers.NETWORK))
                        : Optional.empty());
    }

    /// The network of the cluster that an object belongs to. Costs one tracked fetch.
    public String of(Fetch<?> fetch, ObjectKey object) {
        var namespace = Keys.clusterWide(object, config.systemNamespace());
        return isHome(object)
                ? fetch.one(labelled, namespace).orElseGet(config::network)
                : fetch.one(elsewhere, namespace).orElse("");
    }

    /// The network that another cluster says it is on; empty where it does not say.
    public String of(Cut cut, String cluster) {
        return cut.of(elsewhere)
                .find(new ObjectKey(cluster, "", config.systemNamespace()))
                .orElse("");
    }

    /// Our own network.
    public String home(Cut cut) {
        return cut.of(labelled)
                .find(new ObjectKey(config.clusterId(), "", config.systemNamespace()))
                .orElseGet(config::network);
    }

    private boolean isHome(ObjectKey object) {
        return object.cluster().equals(config.clusterId()) || object.cluster().isEmpty();
    }
}
