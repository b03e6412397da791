// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.clusterset;

import io.fathom.model.peering.ExportedService;
import java.util.Comparator;

/// That a cluster exports a service.
record ExportClaim(String cluster, String namespace, String name, ExportedService service) {
    /// Of two that disagree the first counts; equal ages by cluster, so that all clusters say the same.
    static final Comparator<ExportClaim> OLDEST_FIRST = Comparator.comparing(
                    (ExportClaim claim) -> claim.service().created())
            .thenComparing(ExportClaim::cluster);

    String path() {
        return namespace + "/" + name;
    }
}
