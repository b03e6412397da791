// SPDX-License-Identifier: Apache-2.0
/// A whole fleet on one thread: the real server and the real agents, with time and network moved by hand. Entry:
/// [io.fathom.verify.fleet.simulation.SimulatedFleet]. The same seed gives the same run.
@NullMarked
package io.fathom.verify.fleet.simulation;

import org.jspecify.annotations.NullMarked;
