// SPDX-License-Identifier: Apache-2.0
/// Gateways that are waypoints, and who goes through which.
///
/// Entry: [io.fathom.control.ambient.waypoint.Waypoints]. Runs on the flow's writer. Knows nothing about services or
/// workloads of the Workload API.
@NullMarked
package io.fathom.control.ambient.waypoint;

import org.jspecify.annotations.NullMarked;
