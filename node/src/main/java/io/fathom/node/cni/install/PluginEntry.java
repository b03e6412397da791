// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.install;

import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Our entry of a network configuration: what the plugin gets on standard input.
///
/// @param runFolder the folder of sockets and kubeconfig, as the host sees it
/// @param selectors the enablement selectors: a list
/// @param podNamespace where the node agent runs
public record PluginEntry(
        Switch ambient,
        String runFolder,
        Tree selectors,
        Switch detectionRetry,
        List<String> excludedNamespaces,
        Switch nativeNftables,
        String logLevel,
        String podNamespace) {
    static final String TYPE = "istio-cni";

    /// A setting that is on or off.
    public enum Switch {
        ON,
        OFF;

        public static Switch of(boolean on) {
            return on ? ON : OFF;
        }
    }

    public PluginEntry {
        excludedNamespaces = List.copyOf(excludedNamespaces);
    }

    Tree tree() {
        var entries = new LinkedHashMap<String, Object>();
        entries.put("name", TYPE);
        entries.put("type", TYPE);
        entries.put("ambient_enabled", ambient == Switch.ON);
        entries.put("cni_agent_run_dir", runFolder);
        entries.put("enablement_selectors", selectors);
        entries.put("enable_ambient_detection_retry", detectionRetry == Switch.ON);
        entries.put("exclude_namespaces", excludedNamespaces);
        entries.put("native_nftables", nativeNftables == Switch.ON);
        entries.put("plugin_log_level", logLevel);
        entries.put("pod_namespace", podNamespace);
        entries.put("dns", Map.of());
        entries.put("ipam", Map.of());
        return Json.of(entries);
    }
}
