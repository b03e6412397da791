// SPDX-License-Identifier: Apache-2.0
/// How traffic to one destination is balanced, limited and secured: what several kinds share.
///
/// Entry: [io.fathom.wire.kube.traffic.TrafficPolicy]. Immutable; readers run on the thread of the source. Knows no
/// kind.
@NullMarked
package io.fathom.wire.kube.traffic;

import org.jspecify.annotations.NullMarked;
