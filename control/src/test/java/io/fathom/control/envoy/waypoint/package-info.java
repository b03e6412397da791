// SPDX-License-Identifier: Apache-2.0
/// Listeners of waypoints.
@NullMarked
package io.fathom.control.envoy.waypoint;

import org.jspecify.annotations.NullMarked;
