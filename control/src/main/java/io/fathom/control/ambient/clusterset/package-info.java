// SPDX-License-Identifier: Apache-2.0
/// Services that ServiceExports export from several clusters under one name, as the Multi-Cluster Services API
/// (KEP-1645) says: who exports them, on what they agree, and what becomes of it in our own cluster.
///
/// Entry: [io.fathom.control.ambient.clusterset.ClusterSet]. Runs on the flow's writer. Knows nothing about how exports
/// of other clusters come here, nor who writes ServiceImports.
@NullMarked
package io.fathom.control.ambient.clusterset;

import org.jspecify.annotations.NullMarked;
