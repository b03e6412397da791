// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.meshconfig;

import io.fathom.model.trust.TrustRoot;
import java.util.List;

/// An entry of `caCertificates` of the mesh configuration.
///
/// @param trustDomains whose identities the roots vouch for; those of the mesh itself if none is named
public record MeshRoots(List<String> trustDomains, List<TrustRoot> roots) {
    public MeshRoots {
        trustDomains = List.copyOf(trustDomains);
        roots = List.copyOf(roots);
    }
}
