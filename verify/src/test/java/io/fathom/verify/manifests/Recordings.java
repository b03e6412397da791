// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.manifests;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// Where the recorded scenarios are.
public final class Recordings {
    private Recordings() {}

    /// A file or folder of the recordings.
    public static Path path(String relative) {
        try {
            return Path.of(Objects.requireNonNull(Recordings.class.getResource("/golden"))
                            .toURI())
                    .resolve(relative);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /// All objects with which a scenario starts.
    public static List<ManifestDocument> start(String scenario) {
        var all = new ArrayList<>(ManifestDocument.readFolder(path("base")));
        all.addAll(ManifestDocument.readFolder(path("wds/" + scenario + "/input")));
        return all;
    }
}
