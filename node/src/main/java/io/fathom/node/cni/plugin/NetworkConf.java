// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.plugin;

import io.fathom.node.cni.plugin.CniException.Code;
import io.fathom.node.cni.pods.Eligibility;
import io.fathom.node.cni.pods.Enablement;
import io.fathom.wire.kube.manifest.LabelSelector;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// What a runtime gives us on standard input: our entry of the network configuration, and the previous result.
///
/// @param ownNamespace where the node agent runs
/// @param selectors the field `enablement_selectors`
record NetworkConf(
        CniVersion version,
        Ambient ambient,
        Path runFolder,
        List<String> excludedNamespaces,
        DetectionRetry detectionRetry,
        String ownNamespace,
        String logLevel,
        Field selectors,
        PreviousResult previous) {
    private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9_.-]*");
    static final String RUN_FOLDER = "/var/run/istio-cni";

    /// Whether pods are captured at all.
    enum Ambient {
        ENABLED,
        DISABLED
    }

    /// How long to ask for a pod that the API server does not give.
    enum DetectionRetry {
        SHORT(1),
        LONG(30);

        private final int times;

        DetectionRetry(int times) {
            this.times = times;
        }

        int times() {
            return times;
        }
    }

    static NetworkConf parse(String text) {
        Tree tree;
        try {
            tree = Json.parse("stdin", text);
        } catch (MisreadException e) {
            throw undecodable(e);
        }
        // Before anything else, so that a later version may change all other fields.
        var version = CniVersion.of(version(tree));
        try {
            return read(version, tree);
        } catch (MisreadException e) {
            throw undecodable(e);
        }
    }

    /// What a configuration says its version is, as far as it can be read.
    static String version(Tree tree) {
        try {
            return Field.root(tree).at("cniVersion").text();
        } catch (MisreadException e) {
            throw undecodable(e);
        }
    }

    private static NetworkConf read(CniVersion version, Tree tree) {
        var root = Field.root(tree);
        var name = root.at("name").text();
        if (name.isEmpty()) {
            throw new CniException(Code.INVALID_NETWORK_CONFIG, "missing network name", "");
        }
        if (!NAME.matcher(name).matches()) {
            throw new CniException(Code.INVALID_NETWORK_CONFIG, "invalid characters found in network name", name);
        }
        var previous = ((Tree.Mapping) tree).entries().get("prevResult");
        return new NetworkConf(
                version,
                root.at("ambient_enabled").flag() ? Ambient.ENABLED : Ambient.DISABLED,
                Path.of(root.at("cni_agent_run_dir").text(RUN_FOLDER)),
                root.at("exclude_namespaces").texts(),
                root.at("enable_ambient_detection_retry").flag() ? DetectionRetry.LONG : DetectionRetry.SHORT,
                root.at("pod_namespace").text(),
                root.at("plugin_log_level").text("info"),
                root.at("enablement_selectors"),
                new PreviousResult(Optional.ofNullable(previous)
                        .filter(_ -> root.at("prevResult").isPresent())));
    }

    /// Which pods are to be captured.
    Eligibility eligibility() {
        var enablement = selectors.isPresent()
                ? new Enablement(selectors.items().stream()
                        .map(entry -> new Enablement.Entry(
                                LabelSelector.of(entry.at("podSelector")),
                                LabelSelector.of(entry.at("namespaceSelector"))))
                        .toList())
                : Enablement.DEFAULT;
        return new Eligibility(enablement, Set.copyOf(excludedNamespaces), ownNamespace);
    }

    Path kubeconfig() {
        return runFolder.resolve("istio-cni-kubeconfig");
    }

    static Path eventSocket(Path runFolder) {
        return runFolder.resolve("pluginevent.sock");
    }

    Path logSocket() {
        return runFolder.resolve("log.sock");
    }

    Path logFile() {
        return runFolder.resolve("istio-cni.log");
    }

    private static CniException undecodable(MisreadException e) {
        return new CniException(
                Code.DECODING_FAILURE, "failed to parse network configuration", String.valueOf(e.getMessage()));
    }
}
