// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.extension;

import io.fathom.wire.kube.manifest.Metadata;

/// A TrafficExtension.
public record TrafficExtensionManifest(Metadata metadata, TrafficExtension extension) implements ExtensionManifest {}
