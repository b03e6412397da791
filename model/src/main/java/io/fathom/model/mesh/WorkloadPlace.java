// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

/// Where a workload runs.
public record WorkloadPlace(String clusterId, String node, Locality locality) {}
