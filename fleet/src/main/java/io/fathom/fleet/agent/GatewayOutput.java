// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.trust.TrustBundleManifest;
import java.util.Collection;
import java.util.List;

/// Where Gateways, and the roots of other clusters, are written. Blocks its caller, one at a time.
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

    /// The roots of other clusters that are there, whoever wrote them.
    ///
    /// @param namespace of the control plane
    /// @param manifests what the source has, if it reads them
    /// @throws ProblemException when that cannot be found out
    List<ExistingTrust> trusts(String namespace, Collection<TrustBundleManifest> manifests);

    /// Writes what is missing or different.
    ///
    /// @throws ProblemException when it cannot be written, or something else has its name
    void put(TrustManifest bundle);

    /// Whether or not it is there.
    ///
    /// @throws ProblemException when it cannot be removed
    void remove(ExistingTrust bundle);
}
