// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.gateway.GatewayManifest;
import java.util.Collection;
import java.util.List;

/// Where Gateways are written. Blocks its caller, one at a time.
public interface GatewayOutput {
    /// What the agent finds there.
    ///
    /// @param manifests what the source has
    /// @throws ProblemException when that cannot be found out
    List<ExistingGateway> existing(Collection<GatewayManifest> manifests);

    /// Sees to it that a Gateway is there just like that.
    ///
    /// @return whether anything had to be written
    /// @throws ProblemException when it cannot be written
    boolean put(PeerManifest gateway);

    /// Whether or not it is there.
    ///
    /// @throws ProblemException when it cannot be removed
    void remove(ExistingGateway gateway);
}
