// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.clusterset;

import io.fathom.model.peering.ExportedService;
import java.util.List;

/// A service of all clusters that export it.
///
/// @param clusters that export it, by name
/// @param service on what they agree, and of the rest what the oldest export says
/// @param conflicts on what they do not agree
record ClusterSetService(
        String namespace, String name, List<String> clusters, ExportedService service, List<ExportConflict> conflicts) {
    /// A field on which they do not agree.
    ///
    /// @param reason as KEP-1645 calls it
    record ExportConflict(String reason, String message) {}

    ClusterSetService {
        clusters = List.copyOf(clusters);
        conflicts = List.copyOf(conflicts);
    }
}
