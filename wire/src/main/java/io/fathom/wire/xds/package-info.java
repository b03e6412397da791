// SPDX-License-Identifier: Apache-2.0
/// xDS streams: resources shared by all clients, the state of one stream, and the gRPC server around them.
///
/// Entry: [io.fathom.wire.xds.ResourceStore] for the writer, [io.fathom.wire.xds.AdsServer] for clients. The state
/// machines ([DeltaStream], [SotwStream]) know no I/O and are confined to one thread at a time; only `Ads*` touch gRPC.
@NullMarked
package io.fathom.wire.xds;

import org.jspecify.annotations.NullMarked;
