// SPDX-License-Identifier: Apache-2.0
/// The other clusters of the mesh: who wants which joined, how each is read, and how it goes with them.
///
/// Entry: [io.fathom.control.clusters.ClusterRegistry]. Any thread. Must not know what becomes of the objects.
@NullMarked
package io.fathom.control.clusters;

import org.jspecify.annotations.NullMarked;
