// SPDX-License-Identifier: Apache-2.0
/// The node's side of xDS: one delta stream for workloads, services and policies, resumed after each interruption.
///
/// Entry: [io.fathom.wire.xds.client.AdsClient]. The protocol itself ([DeltaProtocol]) knows no I/O; only `Ads*`
/// touch gRPC. Everything runs on one thread that the caller provides. Hands on model values, never messages.
@NullMarked
package io.fathom.wire.xds.client;

import org.jspecify.annotations.NullMarked;
