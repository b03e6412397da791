// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Limits;
import java.time.Instant;
import java.util.List;

/// Reads text in tests.
public final class Reads {
    static final Instant FIRST_SEEN = Instant.parse("2026-01-01T00:00:00Z");
    /// Readers are tested with less than whole objects; what else is wrong with these is not their affair.
    public static final ReaderConfig CONFIG =
            ReaderConfig.of("c1", "default", "istio-system").ofApiServer();

    private Reads() {}

    public static List<Reading> all(ReaderConfig config, String yaml) {
        var reader = new ManifestReader(config);
        return Documents.ofYaml("f.yaml", yaml, Limits.DEFAULT).stream()
                .map(document -> ((Document.Parsed) document).root())
                .flatMap(root -> reader.read(root, _ -> FIRST_SEEN).stream())
                .toList();
    }

    /// The only manifest of the text.
    public static <M extends Manifest> M one(Class<M> type, String yaml) {
        var readings = all(CONFIG, yaml);
        if (readings.size() == 1 && readings.getFirst() instanceof Reading.Good(var manifest, var _, var _, var _)) {
            return type.cast(manifest);
        }
        throw new AssertionError("expected one good object, got " + readings);
    }

    /// Why the only object of the text is refused, or not in force as written.
    public static ManifestProblem problem(String yaml) {
        var readings = all(CONFIG, yaml);
        if (readings.size() == 1 && readings.getFirst() instanceof Reading.Bad(var problems, var _)) {
            return problems.getFirst();
        }
        if (readings.size() == 1
                && readings.getFirst() instanceof Reading.Good(var manifest, var _, var problems, var _)
                && manifest.damage().isPresent()) {
            return problems.getFirst();
        }
        throw new AssertionError("expected one refused object, got " + readings);
    }
}
