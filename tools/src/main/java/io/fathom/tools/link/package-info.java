// SPDX-License-Identifier: Apache-2.0
/// Links the clusters of a mesh by Gateways, and tells whether the links work: `fathomctl multicluster`.
///
/// Entry: [io.fathom.tools.link.MulticlusterCommands]. Reads facts, plans purely, then acts; blocks the caller. Knows
/// clusters as contexts of a kubeconfig and as folders of `bin/up`, and nothing of what is behind their control planes.
@NullMarked
package io.fathom.tools.link;

import org.jspecify.annotations.NullMarked;
