// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.peering;

/// What a cluster says about itself as a whole.
///
/// @param network that it is on; empty where that has no name
public record ClusterSummary(String cluster, String network, String trustDomain) {}
