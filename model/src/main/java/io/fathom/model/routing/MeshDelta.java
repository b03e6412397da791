// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.Address;
import io.fathom.model.policy.Authorization;
import java.util.List;

/// What one response changes. A name that is both removed and put is put.
///
/// @param removedAddresses uids of workloads and `namespace/hostname` of services
/// @param removedPolicies `namespace/name`
public record MeshDelta(
        List<? extends Address> addresses,
        List<String> removedAddresses,
        List<Authorization> policies,
        List<String> removedPolicies) {
    public MeshDelta {
        addresses = List.copyOf(addresses);
        removedAddresses = List.copyOf(removedAddresses);
        policies = List.copyOf(policies);
        removedPolicies = List.copyOf(removedPolicies);
    }

    public static MeshDelta ofAddresses(List<? extends Address> put, List<String> removed) {
        return new MeshDelta(put, removed, List.of(), List.of());
    }

    public static MeshDelta ofPolicies(List<Authorization> put, List<String> removed) {
        return new MeshDelta(List.of(), List.of(), put, removed);
    }

    public boolean isEmpty() {
        return addresses.isEmpty() && removedAddresses.isEmpty() && policies.isEmpty() && removedPolicies.isEmpty();
    }
}
