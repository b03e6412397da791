// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.query;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;

/// Reads pages of one control plane. Blocks the caller, at most [#TIMEOUT_MILLIS] for each step.
///
/// Uses the old HTTP client of the JDK: the new one would double the time this tool takes.
public record FathomdClient(URI base) {
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    public static FathomdClient of(String address) {
        try {
            var uri = new URI(address.contains("://") ? address : "http://" + address);
            if (uri.getHost() != null && (uri.getPort() > 0 || address.contains("://"))) {
                return new FathomdClient(uri);
            }
        } catch (URISyntaxException _) {
            // told below, like an address without a port
        }
        throw problem("bad-address", "'" + address + "' is not an address", "write HOST:PORT, like localhost:15014");
    }

    /// A page as JSON.
    public JsonNode json(String path) {
        var body = text(path);
        try {
            return JSON.readTree(body);
        } catch (JsonProcessingException _) {
            throw problem(
                    "not-a-fathomd",
                    "%s%s answered something that is not JSON".formatted(base, path),
                    "check that this is the HTTP port of a fathomd (15014 unless it was told otherwise)");
        }
    }

    /// Does what a page is for, by `POST`.
    public JsonNode act(String path) {
        var body = text(path, "POST");
        try {
            return JSON.readTree(body);
        } catch (JsonProcessingException _) {
            throw problem(
                    "not-a-server-of-ours", base + path + " answered something that is not JSON", "check the address");
        }
    }

    /// A page as it is.
    public String text(String path) {
        return text(path, "GET");
    }

    private String text(String path, String method) {
        try {
            var connection = (HttpURLConnection) base.resolve(path).toURL().openConnection(Proxy.NO_PROXY);
            connection.setRequestMethod(method);
            connection.setConnectTimeout(TIMEOUT_MILLIS);
            connection.setReadTimeout(TIMEOUT_MILLIS);
            var status = connection.getResponseCode();
            if (status == HttpURLConnection.HTTP_OK) {
                try (var body = connection.getInputStream()) {
                    return new String(body.readAllBytes(), StandardCharsets.UTF_8);
                }
            }
            throw refused(path, status, reason(connection));
        } catch (UnknownHostException _) {
            throw problem(
                    "unknown-host",
                    "no host is called " + base.getHost(),
                    "check --fathomd, or forward the port: kubectl -n istio-system port-forward deploy/istiod 15014");
        } catch (ConnectException _) {
            throw problem(
                    "no-fathomd",
                    "no fathomd answers at " + base.getAuthority(),
                    "start one with bin/up, or name the HTTP port of a running one: --fathomd HOST:PORT");
        } catch (SocketTimeoutException _) {
            throw problem(
                    "timeout",
                    "%s did not answer within %d s".formatted(base.getAuthority(), TIMEOUT_MILLIS / 1000),
                    "check that the address is right and that nothing in between drops the connection");
        } catch (IOException e) {
            throw problem(
                    "broken-connection",
                    "the connection to %s broke: %s".formatted(base.getAuthority(), e.getMessage()),
                    "check that this is the HTTP port of a fathomd and that it still runs");
        }
    }

    private static String reason(HttpURLConnection connection) throws IOException {
        try (var body = connection.getErrorStream()) {
            return body == null ? "" : new String(body.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    private ProblemException refused(String path, int status, String reason) {
        var message = "%s%s answered %d".formatted(base, path, status);
        var fix = status == HttpURLConnection.HTTP_NOT_FOUND
                ? "this may be another version of fathomd, or another program: compare with fathomctl version"
                : "see the reason it gave";
        return problem("refused", reason.isEmpty() ? message : message + ": " + reason, fix);
    }

    private static ProblemException problem(String code, String message, String fix) {
        return new ProblemException(new Problem(code, message, fix, Problem.Origin.CLIENT, Problem.Retry.POINTLESS));
    }
}
