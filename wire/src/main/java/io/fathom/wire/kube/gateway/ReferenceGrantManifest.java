// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import java.util.List;

/// A ReferenceGrant of the Gateway API: objects of its namespace that objects elsewhere may refer to.
public record ReferenceGrantManifest(Metadata metadata, List<From> from, List<To> to) implements Manifest {
    /// Who may refer.
    public record From(String group, String kind, String namespace) {}

    /// To what; an empty name means all of that kind.
    public record To(String group, String kind, String name) {}

    public ReferenceGrantManifest {
        from = List.copyOf(from);
        to = List.copyOf(to);
    }

    /// Whether it lets objects of `from` refer to that object of its namespace.
    public boolean permits(From who, String group, String kind, String name) {
        return from.contains(who)
                && to.stream()
                        .anyMatch(target -> target.group().equals(group)
                                && target.kind().equals(kind)
                                && (target.name().isEmpty() || target.name().equals(name)));
    }
}
