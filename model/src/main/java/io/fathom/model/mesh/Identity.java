// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import java.util.Optional;
import java.util.regex.Pattern;

/// The SPIFFE identity of a workload, one per Kubernetes service account.
public record Identity(String trustDomain, String namespace, String serviceAccount) {
    private static final Pattern URI = Pattern.compile("spiffe://([^/]+)/ns/([^/]+)/sa/([^/]+)");

    public Identity {
        if (trustDomain.isEmpty() || namespace.isEmpty() || serviceAccount.isEmpty()) {
            throw new IllegalArgumentException("every part of an identity is required");
        }
    }

    /// Empty for any URI that is not `spiffe://<trust>/ns/<namespace>/sa/<account>`.
    public static Optional<Identity> parse(String uri) {
        var match = URI.matcher(uri);
        return match.matches()
                ? Optional.of(new Identity(match.group(1), match.group(2), match.group(3)))
                : Optional.empty();
    }

    /// The form that certificates and policies of other meshes carry.
    public String uri() {
        return "spiffe://" + principal();
    }

    /// The form that AuthorizationPolicy principals carry: the URI without its scheme.
    public String principal() {
        return trustDomain + "/ns/" + namespace + "/sa/" + serviceAccount;
    }
}
