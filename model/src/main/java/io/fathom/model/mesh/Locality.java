// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

/// Where a workload runs; any part may be empty.
public record Locality(String region, String zone, String subzone) {
    public static final Locality NONE = new Locality("", "", "");

    /// From `region/zone/subzone`, later parts optional, as WorkloadEntry writes it.
    public static Locality parse(String text) {
        var parts = text.split("/", 3);
        return new Locality(parts[0], parts.length > 1 ? parts[1] : "", parts.length > 2 ? parts[2] : "");
    }
}
