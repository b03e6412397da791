package io.fathom.control.deploy;

import io.fathom.wire.kube.ListenerSetManifest;
import io.fathom.wire.kube.Metadata;
import io.fathom.wire.kube.tree.Tree;
import java.util.Comparator;

/// A ListenerSet with everything that its status depends on.
///
/// @param status as it stands in the object; an empty map when there is none
record ListenerSetObject(ListenerSetManifest manifest, String uid, long generation, Tree status) {
    /// Those that come first keep what two of them want.
    static final Comparator<ListenerSetObject> IMPORTANT_FIRST =
            Comparator.comparing(set -> set.manifest().metadata(), Metadata.OLDEST_FIRST);

    Target target() {
        return new Target(manifest.namespace(), manifest.name());
    }

    /// The Gateway that it adds to.
    Target gateway() {
        return new Target(manifest.gateway().namespace(), manifest.gateway().name());
    }
}
