// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.oci;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/// Gets WebAssembly modules by HTTP, HTTPS and from registries of images. What a digest names is checked against it.
/// Nothing larger than 64 MiB is taken. Calls block, on any thread.
public final class ModuleDownload implements AutoCloseable {
    private static final int MOST = 64 * 1024 * 1024;
    private static final Duration TIMEOUT = Duration.ofSeconds(15);
    private static final List<String> MANIFESTS = List.of(
            "application/vnd.oci.image.manifest.v1+json",
            "application/vnd.docker.distribution.manifest.v2+json",
            "application/vnd.oci.image.index.v1+json",
            "application/vnd.docker.distribution.manifest.list.v2+json");

    private final HttpClient client = HttpClient.newBuilder()
            .followRedirects(Redirect.NORMAL)
            .connectTimeout(TIMEOUT)
            .build();

    /// The module at an address.
    ///
    /// @param sha256 that what is there must have; empty for any
    /// @throws IOException that says in words what went wrong
    public byte[] http(String address, String sha256) throws IOException, InterruptedException {
        var answer = ask(address, "", "");
        var content = good(address, answer);
        check(address, content, sha256);
        return module(address, content);
    }

    /// The module in an image: its only layer of a type for modules, else its last one.
    public byte[] image(ImageReference image, Optional<RegistryLogin> login) throws IOException, InterruptedException {
        var token = token(image, login);
        var manifest = manifest(image, image.version(), token);
        var index = manifest.at("manifests").items();
        if (!index.isEmpty()) {
            manifest = manifest(image, index.getFirst().at("digest").requiredText(), token);
        }
        var layers = manifest.at("layers").items();
        if (layers.isEmpty()) {
            throw new IOException("image " + image.repository() + " of " + image.registry() + " has no layers");
        }
        var layer = layers.stream()
                .filter(each -> each.at("mediaType").text().contains("wasm"))
                .findFirst()
                .orElse(layers.getLast());
        var digest = layer.at("digest").requiredText();
        var address = image.base() + "/blobs/" + digest;
        var content = good(address, ask(address, token, ""));
        check(address, content, digest.replaceFirst("^sha256:", ""));
        return module(address, content);
    }

    private Field manifest(ImageReference image, String version, String token)
            throws IOException, InterruptedException {
        var address = image.base() + "/manifests/" + version;
        var content = good(address, ask(address, token, String.join(", ", MANIFESTS)));
        if (version.startsWith("sha256:")) {
            check(address, content, version.substring("sha256:".length()));
        }
        return json(address, content);
    }

    /// What the registry wants in `Authorization`; empty for nothing.
    private String token(ImageReference image, Optional<RegistryLogin> login) throws IOException, InterruptedException {
        var address = image.base() + "/manifests/" + image.version();
        var answer = ask(address, "", String.join(", ", MANIFESTS));
        if (answer.statusCode() != 401) {
            return "";
        }
        var challenge =
                Challenge.parse(answer.headers().firstValue("www-authenticate").orElse(""));
        var basic = login.map(own -> "Basic " + own.basic()).orElse("");
        if (challenge.isEmpty()) {
            return basic;
        }
        var tokens = challenge.get().address("repository:" + image.repository() + ":pull");
        var given = json(tokens, good(tokens, ask(tokens, basic, "")));
        var token = given.at("token").text().isEmpty()
                ? given.at("access_token").text()
                : given.at("token").text();
        return "Bearer " + token;
    }

    private HttpResponse<byte[]> ask(String address, String authorization, String accept)
            throws IOException, InterruptedException {
        try {
            var request = HttpRequest.newBuilder(URI.create(address)).timeout(TIMEOUT);
            if (!authorization.isEmpty()) {
                request.header("authorization", authorization);
            }
            if (!accept.isEmpty()) {
                request.header("accept", accept);
            }
            return client.send(request.build(), BodyHandlers.limiting(BodyHandlers.ofByteArray(), MOST));
        } catch (IllegalArgumentException e) {
            throw new IOException(address + " is no address of a web server", e);
        } catch (IOException e) {
            throw new IOException("no answer from " + address + ": " + e.getMessage(), e);
        }
    }

    private static byte[] good(String address, HttpResponse<byte[]> answer) throws IOException {
        if (answer.statusCode() != 200) {
            throw new IOException(address + " answers with status " + answer.statusCode());
        }
        return answer.body();
    }

    private static Field json(String address, byte[] content) throws IOException {
        try {
            return Field.root(Json.parse(address, new String(content, StandardCharsets.UTF_8)));
        } catch (MisreadException e) {
            throw new IOException("what " + address + " answers is no JSON", e);
        }
    }

    private static byte[] module(String address, byte[] content) throws IOException {
        return ModuleArchive.module(content, MOST)
                .orElseThrow(() -> new IOException("there is no WebAssembly module in what " + address + " answers"));
    }

    private static void check(String address, byte[] content, String sha256) throws IOException {
        if (!sha256.isEmpty() && !sha256.equals(sha256(content))) {
            throw new IOException(
                    "what " + address + " answers has SHA-256 " + sha256(content) + " instead of " + sha256);
        }
    }

    /// In lower case.
    public static String sha256(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
