// SPDX-License-Identifier: Apache-2.0
/// What node proxies enforce: from policies, from peer authentication, and from waypoints that may not be bypassed.
///
/// Entry: [io.fathom.control.ambient.policy.PolicyTables]. Runs on the flow's writer. Knows nothing about workloads of
/// the Workload API.
@NullMarked
package io.fathom.control.ambient.policy;

import org.jspecify.annotations.NullMarked;
