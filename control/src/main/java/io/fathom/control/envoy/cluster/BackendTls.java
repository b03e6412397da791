// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest.AltName;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;

/// What a BackendTLSPolicy means for one of its targets.
///
/// @param policy where it is written
/// @param port the name of the port that it is for; empty for all
/// @param hostname that is asked for, and that the server has to prove unless there are `names`
public record BackendTls(ObjectKey policy, String port, String hostname, List<AltName> names, Authorities authorities) {
    /// Who may sign for the server.
    public sealed interface Authorities {
        /// Those of a ConfigMap, which proxies get as a secret of its own.
        record Bundle(ObjectKey configMap) implements Authorities {}

        /// Those of several.
        record Inline(String pem) implements Authorities {}

        /// Those of the proxy's image.
        record SystemRoots() implements Authorities {}

        /// None, because the reference is wrong: nothing is sent.
        record Nobody(String reason) implements Authorities {}
    }

    public BackendTls {
        names = List.copyOf(names);
    }
}
