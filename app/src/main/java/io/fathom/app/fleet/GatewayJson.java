// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fleet;

import io.fathom.app.http.JsonOut;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.model.trust.TrustRoot;

/// A gateway on the debug pages.
final class GatewayJson {
    private GatewayJson() {}

    static void show(JsonOut json, GatewayFact fact) {
        json.text("id", fact.id())
                .text("network", fact.network())
                .text("serviceAccount", fact.serviceAccount())
                .text("trustDomain", fact.trustDomain())
                .text("region", fact.place().region())
                .text("zone", fact.place().zone())
                .text("state", fact.state().name())
                .text("distributeTo", fact.audience().text())
                .texts(
                        "roots",
                        fact.roots().stream().map(TrustRoot::fingerprint).toList())
                .list(
                        "addresses",
                        fact.candidates(),
                        (list, address) -> list.object(
                                fields -> fields.text("kind", address.kind().name())
                                        .text("host", address.host())
                                        .number("hbonePort", address.hbonePort())
                                        .count("xdsPort", address.xdsPort())));
    }
}
