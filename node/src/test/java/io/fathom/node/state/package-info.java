// SPDX-License-Identifier: Apache-2.0
/// What the node knows of the mesh.
@NullMarked
package io.fathom.node.state;

import org.jspecify.annotations.NullMarked;
