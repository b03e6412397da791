// SPDX-License-Identifier: Apache-2.0
/// What the people's folder asks for: Deployments, Gateways, Services, and which pods follow from them.
///
/// Entry: [io.fathom.tools.local.folder.UserFolder]. Runs on the cluster's thread. Knows nothing about what runs
/// already.
@NullMarked
package io.fathom.tools.local.folder;

import org.jspecify.annotations.NullMarked;
