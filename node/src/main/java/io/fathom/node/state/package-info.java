// SPDX-License-Identifier: Apache-2.0
/// What the node knows of the mesh: [io.fathom.node.state.NodeState] is fed by xDS or a file and read by
/// everybody.
///
/// One thread writes; views are immutable and safe anywhere. [io.fathom.node.state.DumpWriter] shows it to tools.
/// Knows nothing of connections or certificates.
@NullMarked
package io.fathom.node.state;

import org.jspecify.annotations.NullMarked;
