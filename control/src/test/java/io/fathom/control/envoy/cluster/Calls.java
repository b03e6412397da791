// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.fathom.control.envoy.StockEnvoy;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/// A client of the Envoy under test.
final class Calls {
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final int port;

    Calls(StockEnvoy envoy) throws IOException {
        this.port = envoy.port("entrance");
    }

    HttpResponse<String> get(String path, String... headers) throws Exception {
        return client.send(request(path, headers), BodyHandlers.ofString());
    }

    CompletableFuture<HttpResponse<String>> later(String path) {
        return client.sendAsync(request(path), BodyHandlers.ofString());
    }

    private HttpRequest request(String path, String... headers) {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(60));
        return (headers.length == 0 ? request : request.headers(headers)).build();
    }

    /// Which pod answered; the status where none did.
    String pod(String path, String... headers) throws Exception {
        var response = get(path, headers);
        return response.headers().firstValue("x-pod").orElse("status " + response.statusCode());
    }

    /// How often each pod answered.
    Map<String, Integer> pods(String path, int calls) throws Exception {
        var counts = new TreeMap<String, Integer>();
        for (int i = 0; i < calls; i++) {
            counts.merge(pod(path), 1, Integer::sum);
        }
        return counts;
    }
}
