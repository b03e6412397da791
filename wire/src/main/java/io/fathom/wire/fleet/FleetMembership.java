// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import java.security.cert.X509Certificate;
import java.util.List;

/// What makes an agent a member.
///
/// @param chain the leaf first
/// @param fleet the trust domain of these certificates
public record FleetMembership(List<X509Certificate> chain, List<X509Certificate> roots, int handle, String fleet) {
    public FleetMembership {
        chain = List.copyOf(chain);
        roots = List.copyOf(roots);
    }
}
