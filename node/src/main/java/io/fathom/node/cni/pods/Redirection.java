// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.pods;

import java.util.Map;
import java.util.Optional;

/// What a pod's annotation says about its capture. The control plane sends a pod HBONE only if it says enabled.
public enum Redirection {
    ENABLED("enabled"),
    /// The rules are there, but no node proxy serves the pod yet.
    PENDING("pending"),
    ABSENT("");

    public static final String ANNOTATION = "ambient.istio.io/redirection";

    private final String word;

    Redirection(String word) {
        this.word = word;
    }

    /// A word that nobody of ours writes counts as nothing.
    public static Redirection of(Map<String, String> annotations) {
        return switch (annotations.getOrDefault(ANNOTATION, "")) {
            case "enabled" -> ENABLED;
            case "pending" -> PENDING;
            default -> ABSENT;
        };
    }

    /// The annotation's value; empty if there is to be none.
    public Optional<String> value() {
        return Optional.of(word).filter(text -> !text.isEmpty());
    }
}
