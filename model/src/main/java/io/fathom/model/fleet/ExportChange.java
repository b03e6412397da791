// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

import io.fathom.model.peering.ServiceSummary;
import java.util.List;

/// What a control plane exports to other clusters, as it tells the agent of its cluster.
public sealed interface ExportChange {
    /// Everything there is. What was exported before and is not in it is exported no more.
    record All(List<ServiceSummary> services) implements ExportChange {
        public All {
            services = List.copyOf(services);
        }
    }

    /// What is different; everything else stays.
    ///
    /// @param removedPaths of services that are exported no more, as `namespace/name`
    record Delta(List<ServiceSummary> changed, List<String> removedPaths) implements ExportChange {
        public Delta {
            changed = List.copyOf(changed);
            removedPaths = List.copyOf(removedPaths);
        }
    }
}
