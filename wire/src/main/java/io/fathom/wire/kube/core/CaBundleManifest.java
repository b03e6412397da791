// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.core;

import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;

/// A ConfigMap that holds CA certificates under `ca.crt`, which policies may refer to. Other ConfigMaps are not read.
///
/// @param pem as written, not checked yet
public record CaBundleManifest(Metadata metadata, String pem) implements Manifest {}
