// SPDX-License-Identifier: Apache-2.0
/// The Workload API on the wire: model values to and from protobuf, and the xDS resources made of them.
///
/// Entry: [io.fathom.wire.workload.AddressCodec] and [io.fathom.wire.workload.AuthorizationCodec]. Pure and
/// thread-safe. Knows nothing about streams.
@NullMarked
package io.fathom.wire.workload;

import org.jspecify.annotations.NullMarked;
