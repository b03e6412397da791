// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import io.fathom.app.settings.YamlSetting;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/// What the variable PROXY_CONFIG says, as far as it is read here; all of it goes to the control plane.
record ProxyOptions(
        Optional<String> discoveryAddress,
        OptionalInt adminPort,
        OptionalInt statusPort,
        OptionalInt concurrency,
        Optional<String> configPath,
        Optional<String> binaryPath,
        Optional<String> drain,
        Map<String, String> metadata,
        Tree whole) {
    private static final int MOST_PORT = 65_535;
    private static final int MOST_WORKERS = 4096;

    ProxyOptions {
        metadata = Map.copyOf(metadata);
    }

    /// @throws ProblemException when it cannot be read
    static ProxyOptions parse(String yaml) {
        return YamlSetting.read("environment variable PROXY_CONFIG", yaml, of(Json.of(Map.of())), ProxyOptions::of);
    }

    private static ProxyOptions of(Tree whole) {
        var root = Field.root(whole);
        return new ProxyOptions(
                text(root, "discoveryAddress"),
                root.at("proxyAdminPort").integer(1, MOST_PORT),
                root.at("statusPort").integer(1, MOST_PORT),
                root.at("concurrency").integer(0, MOST_WORKERS),
                text(root, "configPath"),
                text(root, "binaryPath"),
                text(root, "terminationDrainDuration"),
                root.at("proxyMetadata").textMap(),
                whole);
    }

    private static Optional<String> text(Field root, String name) {
        return Optional.of(root.at(name).text()).filter(text -> !text.isEmpty());
    }
}
