// SPDX-License-Identifier: Apache-2.0
/// The listeners of a waypoint: HBONE in, dispatch to a chain per service and port, HBONE out. Entry:
/// WaypointListeners. Pure; knows nothing of where routes, policies and telemetry come from.
@NullMarked
package io.fathom.control.envoy.waypoint;

import org.jspecify.annotations.NullMarked;
