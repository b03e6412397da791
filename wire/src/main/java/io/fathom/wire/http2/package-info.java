// SPDX-License-Identifier: Apache-2.0
/// HTTP/2 and gRPC on blocking streams of the JDK, as much as a program needs that makes a call in hours and serves a
/// neighbour on the same machine: Netty and a gRPC library would be most of its memory. Where there is traffic, see
/// `wire/hbone` and `wire/dial`.
///
/// Entry: [io.fathom.wire.http2.GrpcConnection] serves, [io.fathom.wire.http2.GrpcQuestion] asks.
@NullMarked
package io.fathom.wire.http2;

import org.jspecify.annotations.NullMarked;
