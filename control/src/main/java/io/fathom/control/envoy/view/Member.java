// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.view;

import io.fathom.model.mesh.Workload;
import java.util.Map;

/// A workload behind a service.
///
/// @param labels of its pod or entry; subsets select by them
public record Member(Workload workload, Map<String, String> labels) {
    public Member {
        labels = Map.copyOf(labels);
    }
}
