// SPDX-License-Identifier: Apache-2.0
/// What the API server lets objects of each kind have: names and types of fields, as data, and the check against them.
///
/// Entry: [io.fathom.wire.kube.schema.Schemas]. Immutable once loaded, any thread. Knows nothing about what a field
/// means; the readers of each kind do.
@NullMarked
package io.fathom.wire.kube.schema;

import org.jspecify.annotations.NullMarked;
