// SPDX-License-Identifier: Apache-2.0
/// A folder of manifests as a cluster that changes.
///
/// Entry: [io.fathom.verify.manifests.ManifestFolder]. Reads YAML by itself, not with the code under test.
@NullMarked
package io.fathom.verify.manifests;

import org.jspecify.annotations.NullMarked;
