// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.peer;

import io.fathom.control.ambient.input.MeshNames;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.ServiceEntryManifest.EntryPort;
import java.util.List;

/// A host name that nobody wrote, by which clusters call a service of all of them.
///
/// @param service as our own cluster has it, or would have it
/// @param distribution as an annotation says it; empty for the usual one
public record MeshName(String host, ObjectKey service, NameForm form, List<EntryPort> ports, String distribution) {
    /// Which name of the service it is.
    public enum NameForm {
        /// `NAME.NAMESPACE.mesh.internal`.
        MESH_WIDE,
        /// `NAME.NAMESPACE.svc.clusterset.local`.
        CLUSTER_SET,
        /// The same of a headless service: it stands for addresses of endpoints, and has none.
        HEADLESS_CLUSTER_SET
    }

    public MeshName {
        ports = List.copyOf(ports);
    }

    /// The key of the entry that stands for it.
    ObjectKey entry() {
        return form == NameForm.MESH_WIDE ? MeshNames.entryOf(service) : MeshNames.clusterSetEntryOf(service);
    }
}
