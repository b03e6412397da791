// SPDX-License-Identifier: Apache-2.0
/// The stream between the agent of a cluster and the management server of its fleet: [io.fathom.wire.fleet.FleetServer]
/// and [io.fathom.wire.fleet.FleetClient]. What is said is in `io.fathom.model.fleet`; here is how it travels, and how
/// each side knows the other. Knows nothing of why something is said.
@NullMarked
package io.fathom.wire.fleet;

import org.jspecify.annotations.NullMarked;
