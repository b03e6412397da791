// SPDX-License-Identifier: Apache-2.0
/// Makes the schema data that manifests are read with, from what upstream publishes, and compares what it refuses with
/// what a real API server refuses.
///
/// Entry: [io.fathom.verify.schema.SchemaMaker].
@NullMarked
package io.fathom.verify.schema;

import org.jspecify.annotations.NullMarked;
