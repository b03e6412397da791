// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.api.KubeConfig.Certificate;
import io.fathom.wire.kube.api.KubeConfig.PemText;
import io.fathom.wire.kube.api.KubeConfig.Token;
import io.fathom.wire.kube.api.KubeConfig.Trust;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Reads a kubeconfig, YAML or JSON. File names in it count from where it lies. Used once, by one thread.
final class Kubeconfig {
    private final Path file;
    private final Optional<String> wanted;
    private final KubeconfigTrust trusted;

    /// @param wanted the context; empty for the current one
    Kubeconfig(Path file, Optional<String> wanted) {
        this(file, wanted, KubeconfigTrust.FULL);
    }

    /// @param file what it is called; it need not be there for [#read(String)]
    /// @param trusted how far its author is
    Kubeconfig(Path file, Optional<String> wanted, KubeconfigTrust trusted) {
        this.file = file;
        this.wanted = wanted;
        this.trusted = trusted;
    }

    KubeConfig read() {
        try {
            return read(Files.readString(file));
        } catch (IOException e) {
            throw problem(
                    "the kubeconfig " + file + " cannot be read: " + reason(e), "check that it is there and readable");
        }
    }

    KubeConfig read(String text) {
        try {
            return read(root(text));
        } catch (MisreadException e) {
            throw problem("the kubeconfig " + e.getMessage(), e.problem().fix());
        }
    }

    /// The cluster of the current context; else of the first context; else the first cluster by name.
    String cluster(String text) {
        try {
            var root = root(text);
            var current = root.at("current-context").text();
            var contexts = sorted(root.at("contexts"));
            return contexts.stream()
                    .filter(context -> context.at("name").text().equals(current))
                    .findFirst()
                    .or(() -> contexts.stream().findFirst())
                    .map(context -> context.at("context").at("cluster").text())
                    .filter(name -> !name.isEmpty())
                    .or(() -> sorted(root.at("clusters")).stream()
                            .map(cluster -> cluster.at("name").text())
                            .findFirst())
                    .orElseThrow(() -> problem("the kubeconfig " + file + " names no cluster", "add one"));
        } catch (MisreadException e) {
            throw problem("the kubeconfig " + e.getMessage(), e.problem().fix());
        }
    }

    private static List<Field> sorted(Field list) {
        return list.items().stream()
                .sorted(Comparator.comparing(item -> item.at("name").text()))
                .toList();
    }

    private Field root(String text) {
        var isJson = text.stripLeading().startsWith("{"); // which is YAML, too, and the quicker one to load
        return Field.root(isJson ? Json.parse(file.toString(), text) : yaml(text));
    }

    private Tree yaml(String text) {
        var documents = Documents.ofYaml(file.toString(), text, Limits.DEFAULT);
        if (documents.isEmpty()) {
            throw problem("the kubeconfig " + file + " is empty", "write a context into it");
        }
        return switch (documents.getFirst()) {
            case Document.Parsed parsed -> parsed.root();
            case Document.Broken broken -> throw broken.cause();
        };
    }

    private KubeConfig read(Field root) {
        trusted.check(root);
        var name =
                wanted.isPresent() ? wanted.get() : root.at("current-context").requiredText();
        var context = named(root.at("contexts"), name).at("context");
        var cluster =
                named(root.at("clusters"), context.at("cluster").requiredText()).at("cluster");
        var user = context.at("user").text().isEmpty()
                ? context.at("user")
                : named(root.at("users"), context.at("user").text()).at("user");
        refuse(cluster.at("proxy-url"), "a proxy");
        if (!user.at("auth-provider").at("name").text().equals("oidc")) {
            refuse(user.at("auth-provider"), "a provider of credentials");
        }
        refuse(user.at("username"), "a user name and password");
        if (user.at("exec").isPresent()) {
            var given =
                    ExecCredential.ask(user.at("exec"), file.toAbsolutePath().resolveSibling(""));
            return config(cluster, given.token(), given.certificate());
        }
        return config(cluster, token(user), certificate(user));
    }

    private KubeConfig config(Field cluster, Token token, Optional<Certificate> certificate) {
        var serverName = cluster.at("tls-server-name").text();
        return new KubeConfig(
                address(cluster.at("server")),
                Optional.of(serverName).filter(text -> !text.isEmpty()),
                trust(cluster),
                token,
                certificate);
    }

    private static URI address(Field server) {
        try {
            return URI.create(server.requiredText());
        } catch (IllegalArgumentException e) {
            throw server.wrong("kubeconfig-unusable", "is no address", "write it like https://10.0.0.1:6443");
        }
    }

    private static Field named(Field list, String name) {
        return list.items().stream()
                .filter(item -> item.at("name").text().equals(name))
                .findFirst()
                .orElseThrow(() -> list.wrong("kubeconfig-unusable", "has no entry \"" + name + "\"", "add it"));
    }

    private static void refuse(Field field, String what) {
        if (field.isPresent()) {
            throw field.wrong(
                    "kubeconfig-unusable",
                    "asks for " + what + ", which is not supported",
                    "use a token, a token file or a client certificate");
        }
    }

    private Trust trust(Field cluster) {
        if (cluster.at("insecure-skip-tls-verify").flag()) {
            return new Trust.Anybody();
        }
        return pem(cluster, "certificate-authority")
                .<Trust>map(Trust.Authorities::new)
                .orElseGet(Trust.Public::new);
    }

    private Token token(Field user) {
        if (user.at("tokenFile").isPresent()) { // wins over the text, as with kubectl
            return new Token.File(beside(user.at("tokenFile")));
        }
        var written = user.at("token").text();
        // What the provider would refresh it with is of no use here: it is written anew before it ends.
        var text = written.isEmpty()
                ? user.at("auth-provider").at("config").at("id-token").text()
                : written;
        return text.isEmpty() ? new Token.None() : new Token.Fixed(text);
    }

    private Optional<Certificate> certificate(Field user) {
        var chain = pem(user, "client-certificate");
        var key = pem(user, "client-key");
        if (chain.isPresent() != key.isPresent()) {
            throw user.wrong(
                    "kubeconfig-unusable", "has one of client-certificate and client-key", "give both or neither");
        }
        return chain.map(text -> new Certificate(text, key.orElseThrow()));
    }

    /// The text itself wins over the name of a file.
    private Optional<PemText> pem(Field owner, String name) {
        var data = owner.at(name + "-data");
        if (data.isPresent()) {
            try {
                var bytes = Base64.getDecoder().decode(data.text().replaceAll("\\s+", ""));
                return Optional.of(new PemText.Inline(new String(bytes, StandardCharsets.US_ASCII)));
            } catch (IllegalArgumentException e) {
                throw data.wrong("kubeconfig-unusable", "is not in base64", "encode the PEM text with base64");
            }
        }
        return owner.at(name).isPresent() ? Optional.of(new PemText.File(beside(owner.at(name)))) : Optional.empty();
    }

    private Path beside(Field name) {
        return file.toAbsolutePath().resolveSibling(name.requiredText());
    }

    static String reason(IOException e) {
        return e.getClass().getSimpleName().replace("Exception", "");
    }

    static ProblemException problem(String message, String fix) {
        return new ProblemException(Problem.ofInput("kubeconfig-unusable", message, fix));
    }
}
