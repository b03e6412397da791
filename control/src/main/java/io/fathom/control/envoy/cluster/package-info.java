// SPDX-License-Identifier: Apache-2.0
/// Clusters and endpoints in Envoy's language: what a proxy may send to, how, and what DestinationRules and
/// policies of backends say about it. [Clusters] and [Endpoints] are pure; [TrafficRules] looks up which rules apply.
/// Knows nothing of listeners, routes or streams.
@NullMarked
package io.fathom.control.envoy.cluster;

import org.jspecify.annotations.NullMarked;
