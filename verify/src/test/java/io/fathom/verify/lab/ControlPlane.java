// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.lab;

import java.nio.file.Path;

/// Who tells the node proxies of a lab about the mesh and signs their certificates, and where its manifests go.
interface ControlPlane extends AutoCloseable {
    /// Writes or replaces the manifest of that name.
    void write(String name, String manifest);

    void remove(String name);

    /// Where node proxies reach it over TLS, on the lab's address of this machine.
    int tlsPort();

    /// What verifies it, PEM.
    String rootCertificate();

    /// The token of the node proxy's pod there, which has been written before.
    Path token(String pod);

    /// The token of a waypoint's pod.
    Path token(String namespace, String pod);

    @Override
    void close();
}
