// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.core;

import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;

/// A Namespace: its labels and annotations are all that counts.
public record NamespaceManifest(Metadata metadata) implements Manifest {}
