// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.model.fleet.ServiceFact;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Port;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.wire.fleet.ServiceFactCodec;
import java.util.List;
import java.util.Optional;

/// Services as clusters of tests export them.
final class ExportedFacts {
    private ExportedFacts() {}

    static ServiceFact fact(String namespace, String name, int ready) {
        return ServiceFactCodec.fact(
                new ServiceSummary(
                        namespace,
                        name,
                        List.of(new Port(80, 8080, AppProtocol.HTTP11)),
                        ready == 0
                                ? List.of()
                                : List.of(new ServiceSummary.LocalityShare(new Locality("", "", ""), ready)),
                        ready,
                        List.of("shop/" + name),
                        ServiceSummary.NameScope.MESH_NAME,
                        "",
                        Optional.empty()),
                Facts.NOW.getEpochSecond());
    }
}
