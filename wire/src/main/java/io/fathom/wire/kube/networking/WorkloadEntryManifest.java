// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.networking;

import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;

/// A WorkloadEntry: a workload outside Kubernetes.
///
/// @param healthy false only when its status says so
public record WorkloadEntryManifest(Metadata metadata, EntryEndpoint endpoint, boolean healthy) implements Manifest {}
