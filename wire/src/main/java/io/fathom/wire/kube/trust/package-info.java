// SPDX-License-Identifier: Apache-2.0
/// ConfigMaps that say which roots another cluster has: how they are read, and how they are written.
///
/// Entry: [io.fathom.wire.kube.trust.TrustBundleObject]. Immutable; readers run on the thread of the source. Knows
/// nothing about who may vouch for whom.
@NullMarked
package io.fathom.wire.kube.trust;

import org.jspecify.annotations.NullMarked;
