// SPDX-License-Identifier: Apache-2.0
/// Kinds of the Multi-Cluster Services API (KEP-1645).
///
/// Entry: [io.fathom.wire.kube.multicluster.ServiceExportManifest]. Immutable; readers run on the thread of the source.
/// Knows nothing of what other clusters export.
@NullMarked
package io.fathom.wire.kube.multicluster;

import org.jspecify.annotations.NullMarked;
