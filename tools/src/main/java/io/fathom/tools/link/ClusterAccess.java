// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import io.fathom.tools.query.FathomdClient;
import io.fathom.wire.kube.tree.Tree;
import java.util.List;
import java.util.Optional;

/// One cluster, as somebody who links it gets at it. Blocks the caller.
public interface ClusterAccess extends AutoCloseable {
    /// How the user names it: its context.
    String context();

    /// What its control plane has as `CLUSTER_ID`, where that can be seen.
    Optional<String> clusterId();

    /// The roots that its proxies trust, in PEM, where they can be seen.
    Optional<String> roots();

    /// Where a gateway of it finds the control plane, if that is not the usual Service.
    Optional<String> controlPlane();

    /// The debug pages of its control plane, if they can be reached from here.
    Optional<FathomdClient> fathomd();

    /// The ConfigMaps with roots of other clusters.
    ///
    /// @param namespace of the control plane, where alone they count
    List<Tree> trustBundles(String namespace);

    /// All Gateways.
    List<Tree> gateways();

    Optional<Tree> object(LinkKind kind, String namespace, String name);

    /// Creates an object, or makes it what is given.
    void apply(Tree object);

    void deleteGateway(String namespace, String name);

    void deleteConfigMap(String namespace, String name);

    @Override
    void close();

    /// Kinds that are read one by one.
    enum LinkKind {
        NAMESPACE,
        CONFIG_MAP
    }
}
