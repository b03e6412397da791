// SPDX-License-Identifier: Apache-2.0
/// What server and agent keep: on disk, [io.fathom.fleet.store.RecordFile], or in a cluster,
/// [io.fathom.fleet.store.RecordTable]. Knows nothing of what the records mean.
@NullMarked
package io.fathom.fleet.store;

import org.jspecify.annotations.NullMarked;
