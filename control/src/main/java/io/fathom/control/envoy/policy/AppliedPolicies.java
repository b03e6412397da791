// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action;
import io.fathom.wire.kube.security.RequestAuthenticationManifest;
import java.util.List;
import java.util.stream.Stream;

/// The policies for one service at one proxy, or for all that a proxy does. Oldest first.
public record AppliedPolicies(
        List<AuthorizationPolicyManifest> authorizations, List<RequestAuthenticationManifest> authentications) {
    public static final AppliedPolicies NONE = new AppliedPolicies(List.of(), List.of());

    public AppliedPolicies {
        authorizations = List.copyOf(authorizations);
        authentications = List.copyOf(authentications);
    }

    Stream<AuthorizationPolicyManifest> of(Action action) {
        return authorizations.stream().filter(policy -> policy.action() == action);
    }

    boolean isEmpty() {
        return authorizations.isEmpty() && authentications.isEmpty();
    }
}
