// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.meshconfig;

import io.fathom.base.lang.ProblemException;
import io.fathom.model.trust.TrustBundle;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.TrustRoots;
import java.util.ArrayList;
import java.util.List;

/// Reads `caCertificates` of the mesh configuration.
final class MeshRootsReader {
    private MeshRootsReader() {}

    static List<MeshRoots> read(Field certificates) {
        var found = new ArrayList<MeshRoots>();
        for (var entry : certificates.items()) {
            if (entry.at("spiffeBundleUrl").isPresent()) {
                throw entry.at("spiffeBundleUrl")
                        .wrong(
                                "manifest-not-supported",
                                "names a place to fetch roots from, and fathomd fetches none",
                                "write the roots themselves as pem");
            }
            for (var domain : entry.at("trustDomains").items()) {
                if (!TrustBundle.isName(domain.text())) {
                    throw domain.wrong(
                            "manifest-bad-value",
                            "is \"" + domain.text() + "\", which is no trust domain",
                            "write it without spiffe://");
                }
            }
            found.add(roots(entry));
        }
        return found;
    }

    private static MeshRoots roots(Field entry) {
        var pem = entry.at("pem");
        try {
            return new MeshRoots(entry.at("trustDomains").texts(), TrustRoots.of(Pem.certificates(pem.requiredText())));
        } catch (ProblemException e) {
            throw pem.wrong(
                    e.problem().code(), e.problem().message(), e.problem().fix());
        }
    }
}
