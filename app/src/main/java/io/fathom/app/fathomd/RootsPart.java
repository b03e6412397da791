// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.work.Parts;
import io.fathom.control.ca.Authority;
import io.fathom.control.ca.kube.NamespaceConfigMap;
import io.fathom.control.ca.kube.NamespaceConfigMap.File;
import io.fathom.control.status.ElectionLock;
import io.fathom.wire.pki.Pem;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Puts what clients must trust into a ConfigMap of each discovered namespace, while we lead.
final class RootsPart implements ClusterPart {
    private final ClusterLink link;
    private final Authority authority;
    private final Parts parts = new Parts();

    RootsPart(ClusterLink link) {
        this.link = link;
        this.authority = link.identity().signer();
    }

    @Override
    public void start() {
        var timeline = parts.keep(new SystemTimeline());
        parts.keep(link.compete(ElectionLock.NAMESPACES, timeline, this::lead));
    }

    private AutoCloseable lead() {
        var term = new Parts();
        var files = List.of(
                NamespaceConfigMap.start(link.client(), File.ofRoots(this::roots), this::namespaces),
                NamespaceConfigMap.start(link.client(), File.ofRevocations(authority::revocations), this::namespaces));
        files.forEach(term::keep);
        term.keep(authority.subscribe(() -> files.forEach(NamespaceConfigMap::lookAgain)));
        term.keep(link.mesh().subscribe(commit -> {
            if (!commit.changes(link.mesh().discoveredNamespaces()).isEmpty()) {
                files.forEach(NamespaceConfigMap::lookAgain);
            }
        }));
        return term;
    }

    private String roots() {
        var roots = authority.roots();
        return roots.isEmpty() ? "" : Pem.encode(roots);
    }

    private Set<String> namespaces() {
        var discovered = new HashSet<String>();
        link.mesh().cut().of(link.mesh().discoveredNamespaces()).forEach((key, counts) -> {
            if (counts) {
                discovered.add(key.name());
            }
        });
        return discovered;
    }

    @Override
    public void close() {
        parts.close();
    }
}
