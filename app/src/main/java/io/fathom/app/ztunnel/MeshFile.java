// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.app.settings.YamlSetting;
import io.fathom.wire.kube.tree.Field;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/// What a mesh file and the variable PROXY_CONFIG may say; the variable wins, and metadata of both counts.
record MeshFile(
        Optional<String> discoveryAddress,
        OptionalInt adminPort,
        OptionalInt statsPort,
        OptionalInt concurrency,
        Map<String, String> metadata) {
    static final MeshFile NONE =
            new MeshFile(Optional.empty(), OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(), Map.of());

    private static final int MOST_THREADS = 4096;

    MeshFile {
        metadata = Map.copyOf(metadata);
    }

    /// @param origin named in complaints
    static MeshFile ofVariable(String origin, String yaml) {
        return read(origin, yaml, MeshFile::of);
    }

    /// The part `defaultConfig` of a MeshConfig.
    static MeshFile ofMeshFile(String origin, String yaml) {
        return read(origin, yaml, mesh -> of(mesh.at("defaultConfig")));
    }

    /// This one first, then the other.
    MeshFile or(MeshFile other) {
        var all = new HashMap<>(other.metadata);
        all.putAll(metadata);
        return new MeshFile(
                discoveryAddress.or(() -> other.discoveryAddress),
                adminPort.isPresent() ? adminPort : other.adminPort,
                statsPort.isPresent() ? statsPort : other.statsPort,
                concurrency.isPresent() ? concurrency : other.concurrency,
                all);
    }

    private static MeshFile read(String origin, String yaml, Function<Field, MeshFile> reading) {
        return YamlSetting.read(origin, yaml, NONE, root -> reading.apply(Field.root(root)));
    }

    private static MeshFile of(Field root) {
        return new MeshFile(
                Optional.of(root.at("discoveryAddress").text()).filter(text -> !text.isEmpty()),
                root.at("proxyAdminPort").integer(0, 65535),
                root.at("statsPort").integer(0, 65535),
                root.at("concurrency").integer(0, MOST_THREADS),
                root.at("proxyMetadata").textMap());
    }
}
