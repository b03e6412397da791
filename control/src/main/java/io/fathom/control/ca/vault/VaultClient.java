// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fathom.base.lang.ProblemException;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// One exchange with Vault at a time, bounded in time and in size. Blocks its caller, so it is called from a virtual
/// thread. Failures to get an answer at all are a [ProblemException]; whatever Vault answers is returned. Redirects are
/// not followed: a token goes to the configured address only.
final class VaultClient implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final VaultServer server;
    private final TrustedCa trustedCa;
    private final HttpClient.Builder builder;
    private Optional<HttpClient> client = Optional.empty();

    VaultClient(VaultServer server) {
        this.server = server;
        this.trustedCa = new TrustedCa(server.caFile());
        this.builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(server.requestTimeout());
    }

    /// Whether Vault is there, unsealed and able to serve. Needs no token.
    VaultAnswer health() {
        // no namespace: this path exists in the outermost one only
        return exchange(HttpRequest.newBuilder(server.endpoint("sys/health?standbyok=true&perfstandbyok=true"))
                .GET());
    }

    VaultAnswer get(String path, Secret token) {
        return exchange(request(path).header("X-Vault-Token", token.reveal()).GET());
    }

    VaultAnswer post(String path, Secret token, Map<String, Object> body) {
        return exchange(request(path).header("X-Vault-Token", token.reveal()).POST(json(body)));
    }

    /// Without a token, for logging in.
    VaultAnswer post(String path, Map<String, Object> body) {
        return exchange(request(path).POST(json(body)));
    }

    /// Ends an exchange that is under way. Called from any thread; exchanges after this fail.
    @Override
    public synchronized void close() {
        client.ifPresent(HttpClient::shutdownNow);
    }

    private HttpRequest.Builder request(String path) {
        var request = HttpRequest.newBuilder(server.endpoint(path));
        server.namespace().ifPresent(namespace -> request.header("X-Vault-Namespace", namespace));
        return request;
    }

    private VaultAnswer exchange(HttpRequest.Builder unfinished) {
        var request = unfinished
                .header("X-Vault-Request", "true") // what Vault's proxies insist on
                .header("Accept", "application/json")
                .timeout(server.requestTimeout())
                .build();
        var reply =
                http().sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), server.maxAnswerBytes()));
        try {
            // the request's own timeout ends with the headers; this one is for the whole answer
            return answer(reply.get(server.requestTimeout().toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            throw new ProblemException(VaultProblems.timeout(server));
        } catch (ExecutionException e) {
            throw new ProblemException(VaultProblems.noAnswer(server, e.getCause() == null ? e : e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProblemException(VaultProblems.noAnswer(server, e));
        } finally {
            abandon(reply);
        }
    }

    /// Closes the connection of an exchange that has not ended; does nothing otherwise.
    private static void abandon(CompletableFuture<?> reply) {
        reply.cancel(true);
    }

    private synchronized HttpClient http() {
        try {
            var changed = trustedCa.changed();
            if (changed.isPresent()) {
                client.ifPresent(HttpClient::shutdownNow);
                client = Optional.of(builder.sslContext(changed.get()).build());
            }
        } catch (ProblemException e) {
            if (client.isEmpty()) {
                throw e; // else go on with the certificates that were good before
            }
        }
        return client.orElseThrow();
    }

    private static VaultAnswer answer(HttpResponse<byte[]> response) {
        return new VaultAnswer(response.statusCode(), parsed(response.body()));
    }

    private static JsonNode parsed(byte[] body) {
        try {
            var node = JSON.readTree(body);
            return node != null && node.isObject() ? node : JsonNodeFactory.instance.objectNode();
        } catch (JacksonException e) {
            return JsonNodeFactory.instance.objectNode(); // a proxy's error page; the status says enough
        } catch (IOException e) {
            throw new AssertionError("reading from memory", e);
        }
    }

    private static HttpRequest.BodyPublisher json(Map<String, Object> body) {
        try {
            return BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body));
        } catch (JacksonException e) {
            throw new AssertionError("maps of texts and numbers can be written", e);
        }
    }
}
