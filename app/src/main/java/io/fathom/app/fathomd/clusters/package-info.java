// SPDX-License-Identifier: Apache-2.0
/// Where other clusters of the mesh are read from: folders, kubeconfigs in Secrets and files. And what is shown of
/// them.
///
/// Entry: [io.fathom.app.fathomd.clusters.RemotePart]. Any thread.
@NullMarked
package io.fathom.app.fathomd.clusters;

import org.jspecify.annotations.NullMarked;
