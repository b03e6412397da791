// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

/// How a service is named mesh-wide: the same hostname may mean different services in different namespaces.
public record NamespacedHostname(String namespace, String hostname) {
    /// The resource name of the service.
    public String key() {
        return namespace + "/" + hostname;
    }
}
