// SPDX-License-Identifier: Apache-2.0
/// Stock Envoys as waypoints under our control plane, with real tunnels in and out. Entry: WaypointLab.
@NullMarked
package io.fathom.verify.envoy;

import org.jspecify.annotations.NullMarked;
