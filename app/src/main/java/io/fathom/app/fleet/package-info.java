// SPDX-License-Identifier: Apache-2.0
/// The management server of a fleet as a program: [io.fathom.app.fleet.FleetMain], and the agent of a cluster:
/// [io.fathom.app.fleet.AgentMain].
@NullMarked
package io.fathom.app.fleet;

import org.jspecify.annotations.NullMarked;
