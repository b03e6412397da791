// SPDX-License-Identifier: Apache-2.0
/// Resources that all clients share: encoded once, with a log of changes.
///
/// Entry: [io.fathom.wire.xds.store.ResourceStore], with one writer; a [io.fathom.wire.xds.store.StoreCut] may be read
/// on any thread. Knows nothing about streams and gRPC.
@NullMarked
package io.fathom.wire.xds.store;

import org.jspecify.annotations.NullMarked;
