// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ModuleDownloadTest {
    private static final byte[] MODULE = {0, 'a', 's', 'm', 1, 0, 0, 0};
    private static final RegistryLogin LOGIN = new RegistryLogin("c2VjcmV0");

    private final Map<String, byte[]> pages = new ConcurrentHashMap<>();
    private final Map<String, String> tokens = new ConcurrentHashMap<>();
    private HttpServer server;
    private ModuleDownload download;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        download = new ModuleDownload();
    }

    @AfterEach
    void stop() {
        download.close();
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        var path = exchange.getRequestURI().getPath();
        var authorization = String.valueOf(exchange.getRequestHeaders().getFirst("authorization"));
        if (path.equals("/token")) {
            var good = authorization.equals("Basic c2VjcmV0")
                    && exchange.getRequestURI().getQuery().contains("scope=repository:team/tea:pull");
            send(exchange, good ? 200 : 403, text("{\"token\": \"abc\"}"));
        } else if (path.startsWith("/v2/") && !tokens.isEmpty() && !authorization.equals("Bearer abc")) {
            exchange.getResponseHeaders()
                    .add("www-authenticate", "Bearer realm=\"http://" + host() + "/token\",service=\"reg\"");
            send(exchange, 401, new byte[0]);
        } else if (pages.containsKey(path)) {
            send(exchange, 200, pages.get(path));
        } else {
            send(exchange, 404, new byte[0]);
        }
    }

    private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        if (body.length > 0) {
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }

    private String host() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /// An image with one layer; its digest.
    private String image(String mediaType, byte[] layer) {
        var digest = "sha256:" + ModuleDownload.sha256(layer);
        var manifest = text("{\"layers\": [{\"mediaType\": \"%s\", \"digest\": \"%s\"}]}".formatted(mediaType, digest));
        pages.put("/v2/team/tea/blobs/" + digest, layer);
        pages.put("/v2/team/tea/manifests/v1", manifest);
        pages.put("/v2/team/tea/manifests/sha256:" + ModuleDownload.sha256(manifest), manifest);
        return ModuleDownload.sha256(manifest);
    }

    private ImageReference reference() {
        return ImageReference.parse(host() + "/team/tea:v1").orElseThrow();
    }

    @Test
    void givenAModuleAtAnAddress_thenItIsFetchedAndChecked() throws Exception {
        pages.put("/m.wasm", MODULE);
        var address = "http://" + host() + "/m.wasm";
        assertThat(download.http(address, "")).isEqualTo(MODULE);
        assertThat(download.http(address, ModuleDownload.sha256(MODULE))).isEqualTo(MODULE);
        assertThatThrownBy(() -> download.http(address, "00")).hasMessageContaining("instead of 00");
        assertThatThrownBy(() -> download.http(address + "x", "")).hasMessageContaining("status 404");
    }

    @Test
    void givenSomethingElse_thenItIsRefused() {
        pages.put("/page", text("<html>"));
        assertThatThrownBy(() -> download.http("http://" + host() + "/page", ""))
                .hasMessageContaining("no WebAssembly module");
    }

    @Test
    void givenAnImageWithAModuleAsItsLayer_thenItIsFetched() throws Exception {
        var digest = image("application/vnd.module.wasm.content.layer.v1+wasm", MODULE);
        assertThat(download.image(reference(), Optional.empty())).isEqualTo(MODULE);
        assertThat(download.image(reference().pinned(digest), Optional.empty())).isEqualTo(MODULE);
    }

    @Test
    void givenAnImageWithAnArchive_thenTheModuleIsFoundInIt() throws Exception {
        image("application/vnd.oci.image.layer.v1.tar+gzip", packed());
        assertThat(download.image(reference(), Optional.empty())).isEqualTo(MODULE);
    }

    @Test
    void givenARegistryThatWantsTokens_thenTheLoginGetsOne() throws Exception {
        image("application/wasm", MODULE);
        tokens.put("wanted", "");
        assertThat(download.image(reference(), Optional.of(LOGIN))).isEqualTo(MODULE);
        assertThatThrownBy(() -> download.image(reference(), Optional.empty())).hasMessageContaining("status 403");
    }

    @Test
    void givenALayerThatIsNotWhatItsDigestSays_thenItIsRefused() {
        image("application/wasm", MODULE);
        pages.replaceAll((path, body) -> path.contains("/blobs/") ? new byte[] {0, 'a', 's', 'm', 9, 9, 9, 9} : body);
        assertThatThrownBy(() -> download.image(reference(), Optional.empty())).hasMessageContaining("instead of");
    }

    private static byte[] packed() throws IOException {
        var archive = new byte[1024 * 2];
        System.arraycopy(text("plugin.wasm"), 0, archive, 0, 11);
        System.arraycopy(text("00000000010"), 0, archive, 124, 11);
        System.arraycopy(MODULE, 0, archive, 512, MODULE.length);
        var bytes = new ByteArrayOutputStream();
        try (var zip = new GZIPOutputStream(bytes)) {
            zip.write(archive);
        }
        return bytes.toByteArray();
    }

    @Test
    void givenNames_thenOnlyThoseWithARegistryAreImages() {
        assertThat(ImageReference.parse("registry.example/a/b"))
                .contains(new ImageReference("registry.example", "a/b", "latest"));
        assertThat(ImageReference.parse("registry.example:5000/a@sha256:" + "0".repeat(64)))
                .contains(new ImageReference("registry.example:5000", "a", "sha256:" + "0".repeat(64)));
        assertThat(ImageReference.parse("a/b:v1")).isEmpty();
        assertThat(ImageReference.parse("registry.example/../x")).isEmpty();
        assertThat(ImageReference.parse("registry.example/a:b:c")).isEmpty();
    }

    @Test
    void givenADockerConfig_thenTheLoginOfTheRegistryIsFound() {
        var config = """
                {"auths": {"https://registry.example/v1/": {"username": "u", "password": "p"}, "other": {"auth": "eA=="}}}""";
        assertThat(RegistryLogin.find(config, "registry.example")).contains(new RegistryLogin("dTpw"));
        assertThat(RegistryLogin.find(config, "other")).contains(new RegistryLogin("eA=="));
        assertThat(RegistryLogin.find(config, "third")).isEmpty();
        assertThat(RegistryLogin.find("no json", "other")).isEmpty();
        assertThat(LOGIN.toString()).isEqualTo("***");
    }
}
