// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.Locality;

/// What the workloads of one node have in common. Kept once for all of them.
record NodeLocality(String node, Locality locality) {}
