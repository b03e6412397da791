// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.input;

/// By which of its names a service that belongs to all clusters means that service in all of them.
public enum ServiceSharing {
    /// By its mesh-wide name. Its name in Kubernetes means the endpoints of one cluster, as in Kubernetes.
    MESH_NAME,
    /// By that and by its name in Kubernetes.
    EVERY_NAME,
    /// Likewise; its name in Kubernetes was made the mesh-wide one, and goes by the same defaults.
    TAKEN_OVER;

    public boolean withKubernetesName() {
        return this != MESH_NAME;
    }
}
