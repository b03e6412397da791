// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

/// What made a workload, such as a deployment.
public record WorkloadOwner(Workload.Type type, String name) {}
