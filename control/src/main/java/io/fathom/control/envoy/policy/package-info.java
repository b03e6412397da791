// SPDX-License-Identifier: Apache-2.0
/// What AuthorizationPolicies and RequestAuthentications become in waypoints and gateways: filters of Envoy. Entry:
/// [io.fathom.control.envoy.policy.EnvoyPolicies] as part of a flow,
/// [io.fathom.control.envoy.policy.PolicyFilters] as a pure function,
/// [io.fathom.control.envoy.policy.JwksStore] for the key sets of token issuers. What node proxies enforce is
/// elsewhere.
@NullMarked
package io.fathom.control.envoy.policy;

import org.jspecify.annotations.NullMarked;
