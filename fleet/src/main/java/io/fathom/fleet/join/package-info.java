// SPDX-License-Identifier: Apache-2.0
/// How a cluster comes into a fleet: [io.fathom.fleet.join.JoinToken] is what an operator carries from the server
/// to the cluster, [io.fathom.fleet.join.ClusterIdentity] what the cluster is known by afterwards. Values only.
@NullMarked
package io.fathom.fleet.join;

import org.jspecify.annotations.NullMarked;
