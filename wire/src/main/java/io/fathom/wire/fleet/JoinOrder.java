// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import java.util.List;

/// What an agent asks to become a member with.
///
/// @param csr a PEM request, signed by the key that never leaves the cluster
/// @param trustDomains that gateways of the cluster are of
/// @param networks that the cluster is on
public record JoinOrder(
        String token, String cluster, String uid, String csr, List<String> trustDomains, List<String> networks) {
    public JoinOrder {
        trustDomains = List.copyOf(trustDomains);
        networks = List.copyOf(networks);
    }

    @Override
    public String toString() {
        return "JoinOrder[token=***, cluster=" + cluster + ", uid=" + uid + "]";
    }
}
