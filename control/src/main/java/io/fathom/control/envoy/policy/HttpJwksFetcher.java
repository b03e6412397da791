// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.fathom.control.ca.jwt.KeySetDocuments;
import io.fathom.control.envoy.policy.JwksSource.JwksDocument;
import java.io.IOException;
import java.net.http.HttpClient.Redirect;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/// Gets key sets by HTTP and HTTPS. Answers of more than a megabyte are refused; redirects never lead from HTTPS to
/// HTTP. Any thread.
public final class HttpJwksFetcher implements JwksFetcher, AutoCloseable {
    private final KeySetDocuments documents;

    /// Trusts whom Java trusts.
    public HttpJwksFetcher() {
        this(Optional.empty());
    }

    /// Trusts whom it is told to.
    ///
    /// @param trust who may have signed the certificates of issuers; empty for whom Java trusts
    public HttpJwksFetcher(Optional<SSLContext> trust) {
        documents = new KeySetDocuments(Redirect.NORMAL, trust);
    }

    @Override
    public String fetch(JwksSource source) throws IOException, InterruptedException {
        var address = source.kind() == JwksDocument.DISCOVERY
                ? documents.keySetAddress(source.address(), source.timeout())
                : source.address();
        var text = documents.read(address, source.timeout());
        if (!KeySetJson.isUsable(text)) {
            throw new IOException("what " + address + " answers is no key set with keys");
        }
        return text;
    }

    @Override
    public void close() {
        documents.close();
    }
}
