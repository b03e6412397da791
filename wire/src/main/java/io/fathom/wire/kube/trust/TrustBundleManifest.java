// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.trust;

import io.fathom.model.trust.PeerTrust;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;

/// A ConfigMap in the system namespace that says which roots another cluster has. Its labels and annotations are not
/// kept.
public record TrustBundleManifest(Metadata metadata, PeerTrust trust) implements Manifest {}
