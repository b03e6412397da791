// SPDX-License-Identifier: Apache-2.0
/// The xDS server: gRPC calls around the streams of package `stream`, which send what package `store` holds.
///
/// Entry: [io.fathom.wire.xds.AdsServer]. A call runs on its connection's event loop, pushes on the lanes of
/// [io.fathom.wire.xds.PushLanes]. Only `Ads*` touch gRPC. Knows nothing about why a resource is as it is.
@NullMarked
package io.fathom.wire.xds;

import org.jspecify.annotations.NullMarked;
