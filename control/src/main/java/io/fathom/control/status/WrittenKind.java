package io.fathom.control.status;

import io.fathom.wire.kube.api.KubeResource;

/// A kind of object whose status is written.
interface WrittenKind {
    /// As manifests spell it.
    String text();

    KubeResource resource();
}
