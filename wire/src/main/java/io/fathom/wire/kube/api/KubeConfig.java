// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/// Where an API server is, whom we trust to be it, and who we are to it.
///
/// @param server with a path if the server has one
/// @param serverName that its certificate must have, if it is not the host of `server`
/// @param certificate of ours, if we have one
public record KubeConfig(
        URI server, Optional<String> serverName, Trust trust, Token token, Optional<Certificate> certificate) {

    /// Who may be the server.
    public sealed interface Trust {
        /// Whoever has a certificate from these authorities; looked at again for each connection.
        record Authorities(PemText certificates) implements Trust {}

        /// Whoever the JDK trusts by itself.
        record Public() implements Trust {}

        /// Whoever answers. For tests and emergencies.
        record Anybody() implements Trust {}
    }

    /// What we say in `Authorization: Bearer`.
    public sealed interface Token {
        record None() implements Token {}

        record Fixed(String text) implements Token {
            @Override
            public String toString() {
                return "***";
            }
        }

        /// Read again for each call, as kubelet renews it.
        record File(Path path) implements Token {}
    }

    /// PEM text, from the configuration itself or from a file.
    public sealed interface PemText {
        record Inline(String text) implements PemText {
            @Override
            public String toString() {
                return "***";
            }
        }

        record File(Path path) implements PemText {}
    }

    public record Certificate(PemText chain, PemText key) {}

    public KubeConfig {
        var scheme = server.getScheme();
        if (server.getHost() == null || (!"https".equals(scheme) && !"http".equals(scheme))) {
            throw Kubeconfig.problem(
                    "the address of the API server is " + server, "write it like https://10.0.0.1:6443");
        }
    }

    /// Without TLS and credentials: for tests and proxies on this machine.
    public static KubeConfig plain(URI server) {
        return new KubeConfig(server, Optional.empty(), new Trust.Public(), new Token.None(), Optional.empty());
    }

    /// What the current context of a kubeconfig file says.
    ///
    /// @throws io.fathom.base.lang.ProblemException when it cannot be read or asks for what we do not do
    public static KubeConfig fromFile(Path file) {
        return new Kubeconfig(file, Optional.empty()).read();
    }

    /// What a context of a kubeconfig file says.
    ///
    /// @throws io.fathom.base.lang.ProblemException like [#fromFile]
    public static KubeConfig fromFile(Path file, String context) {
        return new Kubeconfig(file, Optional.of(context)).read();
    }

    /// What the current context of a kubeconfig says that somebody else wrote.
    ///
    /// @param name what to call it in messages
    /// @throws io.fathom.base.lang.ProblemException like [#fromFile], and when it asks for more than is allowed
    public static KubeConfig fromText(String name, String text, KubeconfigTrust trusted) {
        return new Kubeconfig(Path.of(name), Optional.empty(), trusted).read(text);
    }

    /// The name of the cluster that a kubeconfig is about.
    ///
    /// @throws io.fathom.base.lang.ProblemException like [#fromFile]
    public static String clusterOf(String name, String text) {
        return new Kubeconfig(Path.of(name), Optional.empty()).cluster(text);
    }

    /// What Kubernetes gives to every pod.
    ///
    /// @param environment with `KUBERNETES_SERVICE_HOST` and `KUBERNETES_SERVICE_PORT`
    /// @param account the folder with the service account's `token` and `ca.crt`
    public static KubeConfig inCluster(Map<String, String> environment, Path account) {
        return new KubeConfig(
                serviceAddress(environment),
                Optional.empty(),
                new Trust.Authorities(new PemText.File(account.resolve("ca.crt"))),
                new Token.File(account.resolve("token")),
                Optional.empty());
    }

    /// The address that Kubernetes gives to every pod in its environment.
    public static URI serviceAddress(Map<String, String> environment) {
        var host = environment.getOrDefault("KUBERNETES_SERVICE_HOST", "");
        var port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "");
        if (host.isEmpty() || port.isEmpty()) {
            throw Kubeconfig.problem(
                    "KUBERNETES_SERVICE_HOST or KUBERNETES_SERVICE_PORT is not set",
                    "run this in a pod, set both, or name a kubeconfig file");
        }
        var scheme = environment.getOrDefault("KUBERNETES_SERVICE_PROTOCOL", "https");
        var bracketed = host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
        try {
            return URI.create(scheme + "://" + bracketed + ":" + port);
        } catch (IllegalArgumentException e) {
            throw Kubeconfig.problem(
                    "KUBERNETES_SERVICE_HOST and _PORT are no address: " + host + ", " + port, "correct them");
        }
    }
}
