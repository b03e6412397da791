// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.wire.auth.Credentials;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Takes a client for what a gateway in front of us says about its certificate, in `x-forwarded-client-cert`. Only for
/// calls from trusted addresses and from this machine, and only the last element counts: it is the one the trusted
/// gateway wrote, whatever came before was sent by the client. Anybody on this machine can be anybody with it, so it is
/// off unless an operator names a gateway.
public final class ForwardedCertificateAuthenticator implements CallerAuthenticator {
    private static final String URI = "URI=";

    private final List<IpBlock> gateways;
    private final Supplier<TrustDomains> trustDomains;

    public ForwardedCertificateAuthenticator(List<IpBlock> gateways, Supplier<TrustDomains> trustDomains) {
        this.gateways = List.copyOf(gateways);
        this.trustDomains = trustDomains;
    }

    @Override
    public Attempt authenticate(Credentials credentials) {
        var header = credentials.forwardedCertificate();
        if (header.isEmpty()) {
            return new Attempt.NotPresented();
        }
        if (credentials.peer().filter(this::trusted).isEmpty()) {
            return CallerAuthenticator.rejected(
                    "forwarded-by-stranger", "a forwarded certificate came from an address that is not trusted");
        }
        var identities = identities(last(header.get())).stream()
                .filter(trustDomains.get()::include)
                .toList();
        return identities.isEmpty()
                ? CallerAuthenticator.rejected(
                        "certificate-without-identity", "the forwarded certificate has no identity of this mesh")
                : new Attempt.Authenticated(new Caller(Caller.By.FORWARDED_CERTIFICATE, identities, Optional.empty()));
    }

    private boolean trusted(InetAddress address) {
        var ip = Ip.ofBytes(address.getAddress());
        return address.isLoopbackAddress() || gateways.stream().anyMatch(block -> block.contains(ip));
    }

    /// Read from the end: what stands before the last element may be made to confuse whoever reads it first.
    private static String last(String header) {
        var quoted = false;
        for (var i = header.length() - 1; i >= 0; i--) {
            var c = header.charAt(i);
            if (c == '"' && !escaped(header, i)) {
                quoted = !quoted;
            } else if (c == ',' && !quoted) {
                return header.substring(i + 1);
            }
        }
        return quoted ? "" : header;
    }

    private static boolean escaped(String text, int index) {
        var backslashes = 0;
        while (index - backslashes > 0 && text.charAt(index - backslashes - 1) == '\\') {
            backslashes++;
        }
        return backslashes % 2 == 1;
    }

    private static List<Identity> identities(String element) {
        return pairs(element).stream()
                .map(String::strip)
                .filter(pair -> pair.regionMatches(true, 0, URI, 0, URI.length()))
                .map(pair -> unquoted(pair.substring(URI.length())))
                .map(Identity::parse)
                .flatMap(Optional::stream)
                .toList();
    }

    /// Semicolons within double quotes do not count.
    private static List<String> pairs(String element) {
        var pairs = new ArrayList<String>();
        var quoted = false;
        var start = 0;
        for (var i = 0; i < element.length(); i++) {
            var c = element.charAt(i);
            if (c == '"' && !escaped(element, i)) {
                quoted = !quoted;
            } else if (c == ';' && !quoted) {
                pairs.add(element.substring(start, i));
                start = i + 1;
            }
        }
        pairs.add(element.substring(start));
        return pairs;
    }

    private static String unquoted(String text) {
        return text.length() > 1 && text.startsWith("\"") && text.endsWith("\"")
                ? text.substring(1, text.length() - 1).replace("\\\"", "\"")
                : text;
    }
}
