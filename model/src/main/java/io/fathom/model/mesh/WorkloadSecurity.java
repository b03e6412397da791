// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import java.util.List;

/// Who a workload is to its peers, and who may call it.
///
/// @param trustDomain empty when it is the default `cluster.local`
/// @param policies keys of the selector-based policies that apply
public record WorkloadSecurity(String trustDomain, String serviceAccount, List<String> policies) {
    public WorkloadSecurity {
        policies = List.copyOf(policies);
    }
}
