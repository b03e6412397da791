// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.meshconfig;

/// One of the `extensionProviders` of the mesh configuration: a service that proxies call, known by its name.
public sealed interface ExtensionProvider
        permits ExtAuthzProvider, //
                OtherProvider {

    String name();
}
