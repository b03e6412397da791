// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import java.util.List;

/// Where a workload is reached.
///
/// @param hostname to be looked up if there are no addresses
public record WorkloadNetwork(String network, List<Ip> addresses, String hostname, Workload.NetworkMode mode) {
    public WorkloadNetwork {
        addresses = List.copyOf(addresses);
    }
}
