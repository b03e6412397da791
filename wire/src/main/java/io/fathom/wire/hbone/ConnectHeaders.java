// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import java.util.Optional;

/// The headers of a CONNECT request.
///
/// @param authority `ip:port`, `[ip]:port` or `host:port`
/// @param baggage about the client's workload; several header lines are joined with commas
/// @param forwarded `for="ip:port"[;host=name]`
/// @param traceparent W3C trace context
/// @param forwardedNetwork `x-forwarded-network`, the network of the original client
/// @param source `x-istio-source`, what kind of proxy asks an east-west gateway; node proxies say nothing
/// @param origin whose connection is in the tunnel
public record ConnectHeaders(
        String authority,
        Optional<String> baggage,
        Optional<String> forwarded,
        Optional<String> traceparent,
        Optional<String> forwardedNetwork,
        Optional<String> source,
        TunnelOrigin origin) {
    /// Whose connection is in a tunnel.
    public enum TunnelOrigin {
        /// Of the workload whose certificate is shown.
        BEARER,
        /// Of somebody who sent it to that workload in plain text, `x-fathom-source: plaintext`: the certificate says
        /// nothing about the client.
        PLAIN_TEXT
    }

    /// Of the bearer of the certificate, without a word about what kind of proxy asks: as node proxies do.
    public ConnectHeaders(
            String authority,
            Optional<String> baggage,
            Optional<String> forwarded,
            Optional<String> traceparent,
            Optional<String> forwardedNetwork) {
        this(authority, baggage, forwarded, traceparent, forwardedNetwork, Optional.empty(), TunnelOrigin.BEARER);
    }

    /// For a client that is known by its address alone.
    public static ConnectHeaders plainText(String authority, String forwarded, String traceparent) {
        return new ConnectHeaders(
                authority,
                Optional.empty(),
                Optional.of(forwarded),
                Optional.of(traceparent),
                Optional.empty(),
                Optional.empty(),
                TunnelOrigin.PLAIN_TEXT);
    }

    public static ConnectHeaders to(String authority) {
        return new ConnectHeaders(authority, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }
}
