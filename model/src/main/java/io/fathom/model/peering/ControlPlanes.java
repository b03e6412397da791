// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.peering;

/// By what control planes of one mesh know each other.
public final class ControlPlanes {
    /// The service account of each, in its system namespace.
    public static final String ACCOUNT = "istiod";

    /// What a tunnel to an east-west gateway asks for that is meant for the control plane behind it. No service can
    /// have that name: those of services have a namespace in it.
    public static final String AUTHORITY = "control-plane.mesh.internal:15012";

    private ControlPlanes() {}
}
