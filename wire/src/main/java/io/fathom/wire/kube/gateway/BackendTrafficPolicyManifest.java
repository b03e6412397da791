// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.traffic.TrafficPolicy.RetryBudget;
import java.util.List;
import java.util.Optional;

/// An XBackendTrafficPolicy: how much of the traffic to the services that it names may be retries.
///
/// @param ignored fields that somebody has set, and that no proxy can be told
public record BackendTrafficPolicyManifest(
        Metadata metadata, List<Target> targets, Optional<RetryBudget> retryBudget, List<String> ignored)
        implements BackendPolicyManifest {
    /// Of what the Gateway API only tries out.
    public static final String GROUP = "gateway.networking.x-k8s.io";

    public BackendTrafficPolicyManifest {
        targets = List.copyOf(targets);
        ignored = List.copyOf(ignored);
    }
}
