// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

import io.fathom.model.routing.MeshDelta;
import io.fathom.wire.xds.client.XdsClientConfig;
import java.util.Optional;

/// Where a node's knowledge of the mesh comes from.
///
/// @param node whose workloads count as local; without it all do
/// @param fixed what a file says, see [LocalMesh]
/// @param xds the control plane; without it the node is ready at once
public record NodeStateConfig(Optional<String> node, Optional<MeshDelta> fixed, Optional<XdsClientConfig> xds) {}
