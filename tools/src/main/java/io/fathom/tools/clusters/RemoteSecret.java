// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.clusters;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A Secret with a kubeconfig, in the form that control planes of other clusters look for.
///
/// @param cluster the id of the cluster that it leads to
/// @param namespace of the control plane that is to read it
/// @param server how that reaches the API server
/// @param serverName in the certificate of the server; empty for the host of `server`
record RemoteSecret(String cluster, String namespace, String server, String serverName) {
    /// What it is for.
    enum SecretForm {
        /// The cluster joins the mesh of whoever reads it.
        REMOTE,
        /// Whoever reads it takes its configuration from that cluster.
        CONFIG
    }

    /// @param authority PEM of who signs for the server, in base64
    /// @param user the lines of the user in the kubeconfig
    String text(SecretForm form, String authority, List<String> user) {
        var key = form == SecretForm.REMOTE ? cluster : "config";
        var lines = new ArrayList<>(List.of(
                "# Leads to cluster " + cluster + ". Whoever has it can read what the mesh reads there.",
                "apiVersion: v1",
                "kind: Secret",
                "metadata:",
                "  annotations:",
                "    networking.istio.io/cluster: " + quoted(cluster),
                "  labels:",
                "    istio/multiCluster: \"true\"",
                "  name: " + (form == SecretForm.REMOTE ? "istio-remote-secret-" + cluster : "istio-kubeconfig"),
                "  namespace: " + namespace,
                "stringData:",
                "  " + quoted(key) + ": |"));
        kubeconfig(authority, user).forEach(line -> lines.add("    " + line));
        lines.add("---");
        return String.join("\n", lines) + "\n";
    }

    private List<String> kubeconfig(String authority, List<String> user) {
        var name = quoted(cluster);
        var lines = new ArrayList<>(List.of(
                "apiVersion: v1",
                "kind: Config",
                "clusters:",
                "- name: " + name,
                "  cluster:",
                "    certificate-authority-data: " + authority,
                "    server: " + quoted(server)));
        if (!serverName.isEmpty()) {
            lines.add("    tls-server-name: " + quoted(serverName));
        }
        lines.addAll(List.of(
                "contexts:",
                "- name: " + name,
                "  context: {cluster: " + name + ", user: " + name + "}",
                "current-context: " + name,
                "users:",
                "- name: " + name,
                "  user:"));
        user.forEach(line -> lines.add("    " + line));
        return lines;
    }

    /// A user that shows a token.
    static List<String> token(String token) {
        return List.of("token: " + quoted(token));
    }

    /// A user whose credentials a provider has.
    static List<String> plugin(String name, Map<String, String> config) {
        var lines = new ArrayList<>(List.of("auth-provider:", "  name: " + quoted(name)));
        if (!config.isEmpty()) {
            lines.add("  config:");
            new TreeMap<>(config).forEach((key, value) -> lines.add("    " + quoted(key) + ": " + quoted(value)));
        }
        return lines;
    }

    /// As YAML and JSON both read it.
    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
    }
}
