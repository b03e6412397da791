// SPDX-License-Identifier: Apache-2.0
/// Kinds of `networking.istio.io`: routes, destination rules, entries, gateways.
///
/// Entry: [io.fathom.wire.kube.networking.VirtualServiceManifest],
/// [io.fathom.wire.kube.networking.ServiceEntryManifest]. Immutable; readers run on the thread of the source. Knows
/// nothing about how proxies carry it out.
@NullMarked
package io.fathom.wire.kube.networking;

import org.jspecify.annotations.NullMarked;
