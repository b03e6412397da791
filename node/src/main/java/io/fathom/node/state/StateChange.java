// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

import io.fathom.model.routing.MeshDelta;
import io.fathom.model.routing.MeshView;

/// One change of what the node knows.
///
/// @param delta what led from one view to the other; the very same view if it told nothing new
public record StateChange(MeshView before, MeshView after, MeshDelta delta) {}
