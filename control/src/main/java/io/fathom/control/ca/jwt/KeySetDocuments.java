// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.jwt;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/// Reads key sets and the documents that lead to them from issuers of tokens, by HTTP and HTTPS. Answers of more than a
/// megabyte are refused. Any thread; blocks.
public final class KeySetDocuments implements AutoCloseable {
    private static final long MAX_BYTES = 1024 * 1024;

    private final HttpClient client;

    /// A reader that nobody uses yet.
    ///
    /// @param redirects whether an issuer may send us somewhere else
    /// @param trust who may have signed the certificates of issuers; empty for whom Java trusts
    public KeySetDocuments(Redirect redirects, Optional<SSLContext> trust) {
        var builder = HttpClient.newBuilder().followRedirects(redirects);
        trust.ifPresent(builder::sslContext);
        client = builder.build();
    }

    /// The document at that address.
    ///
    /// @throws IOException with words for the operator about why there is none
    public String read(String address, Duration timeout) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(uri(address))
                .timeout(timeout)
                .header("accept", "application/json")
                .build();
        try {
            var answer = client.send(request, BodyHandlers.limiting(BodyHandlers.ofString(), MAX_BYTES));
            if (answer.statusCode() != 200) {
                throw new IOException(address + " answers with status " + answer.statusCode());
            }
            return answer.body();
        } catch (HttpTimeoutException e) {
            throw new IOException("no answer from " + address + " within " + timeout.toMillis() + "ms", e);
        }
    }

    /// Where the key set is, as the discovery document at that address says.
    ///
    /// @throws IOException as [#read], and if the document does not say
    public String keySetAddress(String discovery, Duration timeout) throws IOException, InterruptedException {
        return Json.parse(read(discovery, timeout).getBytes(StandardCharsets.UTF_8))
                .flatMap(document -> Json.text(document, "jwks_uri"))
                .orElseThrow(() -> new IOException("the document at " + discovery + " names no jwks_uri"));
    }

    /// Where OpenID puts the discovery document of an issuer.
    public static String discovery(String issuer) {
        var base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
        return base + "/.well-known/openid-configuration";
    }

    private static URI uri(String address) throws IOException {
        try {
            var uri = URI.create(address);
            if (uri.getHost() != null && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // told below
        }
        throw new IOException(address + " is no http or https address");
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
