// SPDX-License-Identifier: Apache-2.0
/// In which order node proxies and waypoints are told of a change that needs both, so that nothing is lost on the way:
/// a waypoint serves a service before node proxies send there, and until they do not any more.
///
/// Entry: WaypointOrder, which is asked what node proxies may be told now and tells the rest when its time has come.
/// Any thread. Knows neither streams nor encodings: they are behind Proxies.
@NullMarked
package io.fathom.control.order;

import org.jspecify.annotations.NullMarked;
