// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.extension;

import io.fathom.wire.kube.manifest.Metadata;

/// A WasmPlugin.
public record WasmPluginManifest(Metadata metadata, TrafficExtension extension) implements ExtensionManifest {}
