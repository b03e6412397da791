package io.fathom.wire.hbone;

import java.util.Optional;

/// The headers of a CONNECT request.
///
/// @param authority `ip:port`, `[ip]:port` or `host:port`
/// @param baggage about the client's workload; several header lines are joined with commas
/// @param forwarded `for="ip:port"[;host=name]`
/// @param traceparent W3C trace context
/// @param forwardedNetwork `x-forwarded-network`, the network of the original client
public record ConnectHeaders(
        String authority,
        Optional<String> baggage,
        Optional<String> forwarded,
        Optional<String> traceparent,
        Optional<String> forwardedNetwork) {
    public static ConnectHeaders to(String authority) {
        return new ConnectHeaders(authority, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }
}
