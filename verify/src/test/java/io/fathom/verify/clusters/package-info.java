// SPDX-License-Identifier: Apache-2.0
/// Meshes of several clusters, on real API servers.
@NullMarked
package io.fathom.verify.clusters;

import org.jspecify.annotations.NullMarked;
