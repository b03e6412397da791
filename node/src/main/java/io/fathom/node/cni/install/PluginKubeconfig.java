// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.install;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.node.cni.install.InstallConfig.ServerTrust;
import io.fathom.wire.kube.tree.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The plugin's way to the API server: a kubeconfig with everything in it, as the host does not see our files. It is
/// written as JSON, which is YAML, and which the plugin loads quicker. For one thread.
final class PluginKubeconfig {
    private final InstallConfig config;

    PluginKubeconfig(InstallConfig config) {
        this.config = config;
    }

    /// Whether the file says what it should.
    boolean isRight() throws IOException {
        return Files.exists(config.kubeconfig())
                && Files.readString(config.kubeconfig()).equals(text());
    }

    void put() throws IOException {
        if (!isRight()) {
            Files.createDirectories(HostFiles.parent(config.kubeconfig()));
            var permissions = NetworkEntry.permissions(config.modes().kubeconfig());
            HostFiles.writeWith(config.kubeconfig(), text(), permissions);
        }
    }

    void remove() throws IOException {
        Files.deleteIfExists(config.kubeconfig());
    }

    private String text() {
        var cluster = new LinkedHashMap<String, Object>();
        cluster.put("server", config.server().toString());
        if (config.serverTrust() == ServerTrust.ANYBODY) {
            cluster.put("insecure-skip-tls-verify", true);
        } else {
            var authority = read(config.authority().orElse(config.account().resolve("ca.crt")));
            var encoded = Base64.getEncoder().encodeToString(authority.getBytes(StandardCharsets.US_ASCII));
            cluster.put("certificate-authority-data", encoded);
        }
        var token = read(config.account().resolve("token")).strip();
        var context = Map.of("cluster", "local", "user", "istio-cni");
        return Json.pretty(Json.of(Map.of(
                "apiVersion",
                "v1",
                "kind",
                "Config",
                "clusters",
                List.of(Map.of("name", "local", "cluster", cluster)),
                "users",
                List.of(Map.of("name", "istio-cni", "user", Map.of("token", token))),
                "contexts",
                List.of(Map.of("name", "istio-cni-context", "context", context)),
                "current-context",
                "istio-cni-context")));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new ProblemException(new Problem(
                    "cni-account-unreadable",
                    file + " cannot be read: " + e.getClass().getSimpleName(),
                    "mount the service account's token and CA there",
                    Problem.Origin.SERVER,
                    Problem.Retry.SENSIBLE));
        }
    }
}
