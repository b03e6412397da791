// SPDX-License-Identifier: Apache-2.0
/// The state of one stream: delta and SotW as node proxies use them, and delta as Envoy does.
///
/// Entry: [io.fathom.wire.xds.stream.XdsStream]. Confined to one thread at a time. Knows no I/O and no gRPC.
@NullMarked
package io.fathom.wire.xds.stream;

import org.jspecify.annotations.NullMarked;
