// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.extension;

import io.fathom.wire.kube.manifest.Manifest;

/// A kind that brings code into proxies.
public sealed interface ExtensionManifest extends Manifest permits WasmPluginManifest, TrafficExtensionManifest {
    TrafficExtension extension();

    /// Its kind, for people.
    default String kind() {
        return switch (this) {
            case WasmPluginManifest _ -> "WasmPlugin";
            case TrafficExtensionManifest _ -> "TrafficExtension";
        };
    }
}
