// SPDX-License-Identifier: Apache-2.0
/// What server and agent keep on disk: [io.fathom.fleet.store.RecordFile]. Knows nothing of what the records mean.
@NullMarked
package io.fathom.fleet.store;

import org.jspecify.annotations.NullMarked;
