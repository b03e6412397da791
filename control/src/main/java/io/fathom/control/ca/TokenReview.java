// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What a reviewer says about a token; the fields are those of the Kubernetes object.
///
/// @param error set if the token could not be reviewed
/// @param audiences those of the asked ones the token is for
/// @param extra such as the pod and the node the token is bound to
public record TokenReview(
        boolean authenticated,
        Optional<String> error,
        String username,
        Set<String> groups,
        List<String> audiences,
        Map<String, List<String>> extra) {
    static final String POD_NAME = "authentication.kubernetes.io/pod-name";
    static final String POD_UID = "authentication.kubernetes.io/pod-uid";
    static final String NODE_NAME = "authentication.kubernetes.io/node-name";
    static final String SERVICE_ACCOUNTS = "system:serviceaccounts";

    public TokenReview {
        groups = Set.copyOf(groups);
        audiences = List.copyOf(audiences);
        extra = Map.copyOf(extra);
    }

    static TokenReview refused(String error) {
        return new TokenReview(false, Optional.of(error), "", Set.of(), List.of(), Map.of());
    }

    Optional<String> extra(String name) {
        return extra.getOrDefault(name, List.of()).stream().findFirst().filter(text -> !text.isEmpty());
    }
}
