// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

/// The name and revision under which telemetry counts a workload.
public record CanonicalService(String name, String revision) {}
