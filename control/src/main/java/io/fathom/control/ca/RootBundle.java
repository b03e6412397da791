// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.wire.pki.Pem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;

/// The roots of the mesh as clients get them.
public final class RootBundle {
    /// Of the ConfigMap in every namespace.
    public static final String CONFIG_MAP = "istio-ca-root-cert";

    private static final String KEY = "root-cert.pem";
    private static final String LABEL = "istio.io/config";

    private RootBundle() {}

    /// The data of the ConfigMap.
    public static Map<String, String> configMapData(List<X509Certificate> roots) {
        return Map.of(KEY, Pem.encode(roots));
    }

    /// The labels of the ConfigMap.
    public static Map<String, String> configMapLabels() {
        return Map.of(LABEL, "true");
    }

    /// Writes them to a file that all may read, as a whole: readers see the old content or the new.
    public static void write(Path file, List<X509Certificate> roots) throws IOException {
        var target = file.toAbsolutePath();
        var folder = target.getParent();
        Files.createDirectories(folder == null ? Path.of("/") : folder);
        var temporary = Files.createTempFile(folder, ".root", ".tmp");
        try {
            Files.writeString(temporary, Pem.encode(roots));
            Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }
}
