// SPDX-License-Identifier: Apache-2.0
/// What clusters of a fleet and its management server tell each other: [io.fathom.model.fleet.GatewayFact] goes up,
/// as a [io.fathom.model.fleet.FleetPeer] it comes down to the others. Values only; knows no protocol and no
/// certificates.
@NullMarked
package io.fathom.model.fleet;

import org.jspecify.annotations.NullMarked;
