// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.manifest.Manifest;
import java.util.List;

/// A policy of the Gateway API that is attached to what traffic is sent to.
public sealed interface BackendPolicyManifest extends Manifest
        permits BackendTlsPolicyManifest, BackendTrafficPolicyManifest {

    /// An object of the policy's namespace.
    ///
    /// @param group empty for core kinds
    /// @param section the name of a port; empty for all of them
    record Target(String group, String kind, String name, String section) {}

    List<Target> targets();
}
