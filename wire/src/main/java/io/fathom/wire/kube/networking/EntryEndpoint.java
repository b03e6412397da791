// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.networking;

import java.util.Map;

/// What a WorkloadEntry holds, and a ServiceEntry in line.
///
/// @param address an IP, a host name, a socket path, or empty
/// @param ports numbers by the name of the service's port
/// @param weight 0 when not set
public record EntryEndpoint(
        String address,
        Map<String, Integer> ports,
        Map<String, String> labels,
        String network,
        String locality,
        int weight,
        String serviceAccount) {

    public EntryEndpoint {
        ports = Map.copyOf(ports);
        labels = Map.copyOf(labels);
    }
}
