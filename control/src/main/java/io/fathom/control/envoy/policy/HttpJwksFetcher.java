// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.fathom.control.envoy.policy.JwksSource.JwksDocument;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/// Gets key sets by HTTP and HTTPS. Answers of more than a megabyte are refused; redirects never lead from HTTPS to
/// HTTP. Any thread.
public final class HttpJwksFetcher implements JwksFetcher, AutoCloseable {
    private static final long MAX_BYTES = 1024 * 1024;

    private final HttpClient client;

    /// Trusts whom Java trusts.
    public HttpJwksFetcher() {
        this(Optional.empty());
    }

    /// Trusts whom it is told to.
    ///
    /// @param trust who may have signed the certificates of issuers; empty for whom Java trusts
    public HttpJwksFetcher(Optional<SSLContext> trust) {
        var builder = HttpClient.newBuilder().followRedirects(Redirect.NORMAL);
        trust.ifPresent(builder::sslContext);
        client = builder.build();
    }

    @Override
    public String fetch(JwksSource source) throws IOException, InterruptedException {
        var address = source.address();
        if (source.kind() == JwksDocument.DISCOVERY) {
            var document = read(address, source.timeout());
            address = KeySetJson.addressIn(document)
                    .orElseThrow(() -> new IOException("the document at " + source.address() + " names no jwks_uri"));
        }
        var text = read(address, source.timeout());
        if (!KeySetJson.isUsable(text)) {
            throw new IOException("what " + address + " answers is no key set with keys");
        }
        return text;
    }

    private String read(String address, Duration timeout) throws IOException, InterruptedException {
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
