// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.peers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;

/// Applies, deletes and lists objects as `kubectl` would. An answer other than success throws with the server's words.
public final class KubeClient implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String MANAGER = "?fieldManager=verify&force=true";

    private final URI server;
    private final String token;
    private final HttpClient http;

    KubeClient(URI server, String token, SSLContext trust) {
        this.server = server;
        this.token = token;
        this.http = HttpClient.newBuilder().sslContext(trust).build();
    }

    /// Server-side apply, then the status through its own subresource. Returns the object as the server holds it.
    public JsonNode apply(ObjectNode object) {
        var path = pathOf(object);
        var plain = object.deepCopy();
        var status = plain.remove("status");
        var applied = send("PATCH", path + MANAGER, "application/apply-patch+yaml", plain.toString());
        if (status == null) {
            return applied;
        }
        var patch = JSON.createObjectNode().set("status", status).toString();
        return send(
                "PATCH", path + "/status" + MANAGER.replace("&force=true", ""), "application/merge-patch+json", patch);
    }

    /// Applies any document by its plain path; for kinds that tests do not touch otherwise.
    void applyAt(String path, String yaml) {
        send("PATCH", path + MANAGER, "application/apply-patch+yaml", yaml);
    }

    /// A token for us to show as that pod, which must exist; its account is made if need be.
    public String podToken(String namespace, String account, String pod, String audience) {
        var accounts = "/api/v1/namespaces/" + namespace + "/serviceaccounts/" + account;
        applyAt(
                accounts,
                "{apiVersion: v1, kind: ServiceAccount, metadata: {name: %s, namespace: %s}}"
                        .formatted(account, namespace));
        var uid = send("GET", "/api/v1/namespaces/" + namespace + "/pods/" + pod, "application/json", "")
                .at("/metadata/uid")
                .asText();
        var body = """
                {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"audiences": ["%s"],
                 "boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": "%s", "uid": "%s"}}}""".formatted(audience, pod, uid);
        return send("POST", accounts + "/token", "application/json", body)
                .at("/status/token")
                .asText();
    }

    /// Gone at once, without a grace period.
    public void delete(ObjectNode object) {
        send("DELETE", pathOf(object), "application/json", "{\"gracePeriodSeconds\":0}");
    }

    /// Marks a pod as terminating; it stays, since no kubelet ends it.
    public void terminate(ObjectNode pod) {
        send("DELETE", pathOf(pod), "application/json", "{\"gracePeriodSeconds\":3600}");
    }

    /// All objects of a kind, with kind and version filled in.
    public List<ObjectNode> list(KubeKind kind) {
        var objects = new ArrayList<ObjectNode>();
        for (var item : send("GET", kind.listPath(), "application/json", "").path("items")) {
            objects.add(((ObjectNode) item).put("kind", kind.kind()).put("apiVersion", kind.apiVersion()));
        }
        return objects;
    }

    boolean ready() {
        try {
            return request("GET", "/readyz", "application/json", "").statusCode() == 200;
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    boolean exists(String path) {
        return request("GET", path, "application/json", "").statusCode() == 200;
    }

    @Override
    public void close() {
        http.shutdownNow();
    }

    private static String pathOf(JsonNode object) {
        var metadata = object.path("metadata");
        return KubeKind.of(object)
                .path(metadata.path("namespace").asText(), metadata.path("name").asText());
    }

    private JsonNode send(String method, String path, String type, String body) {
        var response = request(method, path, type, body);
        if (response.statusCode() >= 300) {
            throw new IllegalStateException("%s %s answered %s: %s\nsent: %s"
                    .formatted(method, path, response.statusCode(), response.body(), body));
        }
        try {
            return JSON.readTree(response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private HttpResponse<String> request(String method, String path, String type, String body) {
        var request = HttpRequest.newBuilder(server.resolve(path))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("authorization", "Bearer " + token)
                .header("content-type", type)
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
