// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.input;

import java.util.Map;

/// What runs in the pods of a Gateway.
public enum ProxyKind {
    /// Envoy and a companion that makes its key, which never leaves the pod.
    WITH_COMPANION,
    /// Envoy alone; the control plane makes its key.
    ENVOY_ONLY;

    /// The annotation of a Gateway that says so.
    public static final String ANNOTATION = "fathom.io/proxy";

    private static final String ALONE = "envoy-only";

    /// With a companion unless the annotations say otherwise.
    public static ProxyKind of(Map<String, String> annotations) {
        return annotations.getOrDefault(ANNOTATION, "").equals(ALONE) ? ENVOY_ONLY : WITH_COMPANION;
    }
}
