// SPDX-License-Identifier: Apache-2.0
/// Incremental tables: sources, pure derivations with tracked fetches, indexes, selections and joins.
///
/// Entry: [io.fathom.base.flow.Flow]. One writer at a time; readers use immutable cuts. Knows nothing about meshes.
@NullMarked
package io.fathom.base.flow;

import org.jspecify.annotations.NullMarked;
