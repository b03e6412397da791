// SPDX-License-Identifier: Apache-2.0
/// Commands for meshes of several clusters.
///
/// Entry: [io.fathom.tools.clusters.ClusterCommands]. Used by one thread.
@NullMarked
package io.fathom.tools.clusters;

import org.jspecify.annotations.NullMarked;
