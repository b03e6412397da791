/// Kubernetes objects as records holding only what the mesh reads, and the places they come from.
///
/// Entry: [io.fathom.wire.kube.Manifest]. Knows nothing about what is derived from them.
@NullMarked
package io.fathom.wire.kube;

import org.jspecify.annotations.NullMarked;
