// SPDX-License-Identifier: Apache-2.0
/// Finds what an Envoy refuses. Parts of many objects share a resource (all services of a waypoint one listener, all
/// routes of a service one table), which an Envoy takes or refuses as a whole: the part that it refuses is found by
/// trying halves, is held back, and its object is told.
///
/// Entry: RefusalFinder, which is told what is published and hears each ACK and NACK, on a thread of its own. Tables
/// ask Ingredients what is admitted. Knows neither streams nor how resources get into stores.
@NullMarked
package io.fathom.control.envoy.refusal;

import org.jspecify.annotations.NullMarked;
