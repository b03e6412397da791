// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.tls.TlsPolicy;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// A server of the control plane as a client sees it.
///
/// @param host a name or an address literal
/// @param alternativeName a second name that its certificate may have
/// @param headers sent with each call besides the token and the cluster
/// @param tls what may be negotiated with it
public record ServerConfig(
        String host,
        int port,
        ServerTrust trust,
        Optional<String> alternativeName,
        BearerToken token,
        String clusterId,
        Map<String, String> headers,
        TlsPolicy tls) {

    private static final int DEFAULT_PORT = 15012;
    /// Control planes may be old: they need not speak TLS 1.3.
    private static final TlsPolicy ANY = new TlsPolicy(TlsPolicy.Versions.TLS12_TOO, TlsPolicy.KeyExchange.ANY);

    public ServerConfig {
        headers = Map.copyOf(headers);
    }

    /// From `https://host:port`; the scheme may be left out. No second name, no token, no headers yet.
    ///
    /// @throws ProblemException for other schemes, and text that is no address
    public static ServerConfig parse(String address, ServerTrust trust) {
        var text = address.contains("://") ? address : "https://" + address;
        try {
            var uri = new URI(text);
            if (!"https".equals(uri.getScheme().toLowerCase(Locale.ROOT)) || uri.getHost() == null) {
                throw malformed(address);
            }
            var host = uri.getHost();
            var literal = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
            var port = uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort();
            return new ServerConfig(
                    literal, port, trust, Optional.empty(), new BearerToken.None(), "Kubernetes", Map.of(), ANY);
        } catch (URISyntaxException e) {
            throw malformed(address);
        }
    }

    private static ProblemException malformed(String address) {
        return new ProblemException(Problem.ofInput(
                "control-plane-address",
                "\"" + address + "\" is no address of a control plane",
                "write it like https://istiod.istio-system.svc:15012; plaintext is not possible"));
    }

    public ServerConfig withAlternativeName(String name) {
        return new ServerConfig(host, port, trust, Optional.of(name), token, clusterId, headers, tls);
    }

    public ServerConfig withToken(BearerToken newToken) {
        return new ServerConfig(host, port, trust, alternativeName, newToken, clusterId, headers, tls);
    }

    public ServerConfig withClusterId(String id) {
        return new ServerConfig(host, port, trust, alternativeName, token, id, headers, tls);
    }

    public ServerConfig withHeaders(Map<String, String> newHeaders) {
        return new ServerConfig(host, port, trust, alternativeName, token, clusterId, newHeaders, tls);
    }

    public ServerConfig withTls(TlsPolicy policy) {
        return new ServerConfig(host, port, trust, alternativeName, token, clusterId, headers, policy);
    }

    @Override
    public String toString() {
        return host.indexOf(':') < 0 ? host + ":" + port : "[" + host + "]:" + port;
    }
}
