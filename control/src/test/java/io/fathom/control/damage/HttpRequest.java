// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.damage;

import io.fathom.model.mesh.Ip;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A request as Envoy sees it.
///
/// @param peer the SPIFFE name of whoever calls
record HttpRequest(
        Optional<String> peer, Ip ip, int port, String method, String host, String path, Optional<Token> token) {
    /// @param header that it comes in
    record Token(String issuer, String subject, String header) {}

    Optional<String> header(String name) {
        return switch (name) {
            case ":method" -> Optional.of(method);
            case ":authority" -> Optional.of(host);
            case "x" -> Optional.of(path.equals("/x") ? "1" : "22");
            default -> Optional.empty();
        };
    }

    HttpRequest withoutToken() {
        return new HttpRequest(peer, ip, port, method, host, path, Optional.empty());
    }

    /// A choice of them in which each value meets most others.
    static List<HttpRequest> all() {
        var peers = List.of("", "spiffe://cluster.local/ns/a/sa/x", "spiffe://cluster.local/ns/b/sa/y");
        var tokens = List.of(
                Optional.<Token>empty(),
                Optional.of(new Token("A", "s", "Authorization")),
                Optional.of(new Token("B", "t", "Authorization")),
                Optional.of(new Token("Z", "s", "Authorization")),
                Optional.of(new Token("A", "s", "x-token")));
        var requests = new ArrayList<HttpRequest>();
        int i = 0;
        for (var peer : peers) {
            for (var token : tokens) {
                i++;
                requests.add(new HttpRequest(
                        Optional.of(peer).filter(name -> !name.isEmpty()),
                        Ip.parse(i % 3 == 0 ? "192.168.0.1" : "10.1.0.1").orElseThrow(),
                        i % 7 < 4 ? 80 : 8080,
                        i % 2 == 0 ? "GET" : "POST",
                        i % 4 < 2 ? "app.a" : "www.b",
                        i % 5 < 2 ? "/x" : "/y/z",
                        token));
            }
        }
        return List.copyOf(requests);
    }
}
