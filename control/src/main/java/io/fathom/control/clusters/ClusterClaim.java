// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.clusters;

import io.fathom.base.lang.Problem;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// That somebody wants a cluster joined to the mesh.
public sealed interface ClusterClaim {
    /// The id of the cluster.
    String cluster();

    /// Where it is written, as people know it: `istio-system/istio-remote-secret-east`, or a folder.
    String origin();

    /// One that can be tried.
    ///
    /// @param fingerprint equal for equal content: then there is nothing to do
    record Usable(String cluster, String origin, String fingerprint, RemoteSource.Opener opener)
            implements ClusterClaim {}

    /// One that cannot be read. What is joined already under that id stays.
    record Broken(String cluster, String origin, Problem problem) implements ClusterClaim {}

    /// The fingerprint of a text: its SHA-256.
    static String fingerprint(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }
}
