// SPDX-License-Identifier: Apache-2.0
/// Deploys what Gateways ask for, and says in their status what became of it.
///
/// Entry: [io.fathom.control.deploy.GatewayController]. Deciding ([io.fathom.control.deploy.GatewayPlanner],
/// [io.fathom.control.deploy.GatewayStatus]) is pure; the controller acts on virtual threads of its own. Knows nothing
/// of who leads, nor of how Envoy is told what to do.
@NullMarked
package io.fathom.control.deploy;

import org.jspecify.annotations.NullMarked;
