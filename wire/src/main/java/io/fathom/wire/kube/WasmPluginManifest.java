// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

/// A WasmPlugin.
public record WasmPluginManifest(Metadata metadata, TrafficExtension extension) implements ExtensionManifest {}
