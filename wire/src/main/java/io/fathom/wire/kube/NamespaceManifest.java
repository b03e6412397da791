// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

/// A Namespace: its labels and annotations are all that counts.
public record NamespaceManifest(Metadata metadata) implements Manifest {}
