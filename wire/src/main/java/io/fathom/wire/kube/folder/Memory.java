// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import com.dynatrace.hash4j.hashing.Hashing;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;

/// Where a source keeps the last good version of objects that protect something, for the time after a restart.
public sealed interface Memory {
    /// Nowhere: a restart forgets them.
    record None() implements Memory {}

    /// In a hidden folder among the manifests, which is not read as one of them.
    record BesideManifests() implements Memory {}

    /// In a folder of the program.
    record In(Path folder) implements Memory {}

    /// The file for the manifests of one folder.
    default Optional<Path> file(Path manifests) {
        return switch (this) {
            case None() -> Optional.empty();
            case BesideManifests() -> Optional.of(manifests.resolve(".fathom").resolve("last-good"));
            case In(var folder) -> {
                var name = manifests.toAbsolutePath().normalize().toString().getBytes(StandardCharsets.UTF_8);
                var hash = HexFormat.of().toHexDigits(Hashing.xxh3_64().hashBytesToLong(name));
                yield Optional.of(folder.resolve("last-good-" + hash));
            }
        };
    }
}
