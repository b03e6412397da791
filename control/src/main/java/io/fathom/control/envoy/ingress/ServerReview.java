// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import io.fathom.control.envoy.view.Remark;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.networking.IstioGatewayManifest;
import java.util.ArrayList;
import java.util.List;

/// What the author of an Istio Gateway should hear about its servers. Pure.
public final class ServerReview {
    private ServerReview() {}

    public static List<Remark> remarks(IstioGatewayManifest gateway) {
        var remarks = new ArrayList<Remark>();
        for (var i = 0; i < gateway.servers().size(); i++) {
            var tls = gateway.servers().get(i).tls();
            if (tls.isEmpty()) {
                continue;
            }
            var suites = tls.get().cipherSuites();
            for (var k = 0; k < suites.size(); k++) {
                if (!CipherSuites.isKnown(suites.get(k))) {
                    remarks.add(unknown("spec.servers[" + i + "].tls.cipherSuites[" + k + "]", suites.get(k)));
                }
            }
        }
        return remarks;
    }

    private static Remark unknown(String field, String name) {
        return Remark.warning(
                field,
                "cipher-suite-unknown",
                "is \"" + name + "\", which no proxy knows; it is left out",
                "name a suite of TLS 1.2 as OpenSSL does, such as ECDHE-ECDSA-AES128-GCM-SHA256");
    }

    /// The same on the object.
    public static List<ObjectProblem> problems(IstioGatewayManifest gateway) {
        return remarks(gateway).stream()
                .map(remark -> remark.about(ManifestId.of(gateway)))
                .toList();
    }
}
