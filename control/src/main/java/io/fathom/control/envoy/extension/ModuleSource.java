// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import io.fathom.wire.kube.extension.ExtensionManifest;
import io.fathom.wire.kube.extension.TrafficExtension.PullPolicy;
import io.fathom.wire.kube.extension.TrafficExtension.Wasm;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;

/// A module that the control plane has to fetch.
///
/// @param url `oci://`, `http://` or `https://`
/// @param sha256 that it must have; of an image, its manifest's digest; empty for any
/// @param pullSecret a Secret with the registry's credentials
public record ModuleSource(String url, String sha256, PullPolicy pullPolicy, Optional<ObjectKey> pullSecret) {
    /// Empty for extensions without a module, or with one that proxies have already.
    public static Optional<ModuleSource> of(ExtensionManifest manifest) {
        return manifest.extension().program() instanceof Wasm wasm
                        && !wasm.url().startsWith("file://")
                ? Optional.of(new ModuleSource(
                        wasm.url(),
                        wasm.sha256(),
                        wasm.pullPolicy(),
                        Optional.of(wasm.pullSecret())
                                .filter(name -> !name.isEmpty())
                                .map(manifest.key()::sibling)))
                : Optional.empty();
    }
}
