// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.wire.hbone.ConnectHeaders.TunnelOrigin;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.Optional;

/// The header fields of HBONE and how they are read and written.
final class HeaderNames {
    static final AsciiString BAGGAGE = AsciiString.cached("baggage");
    static final AsciiString FORWARDED = AsciiString.cached("forwarded");
    static final AsciiString TRACEPARENT = AsciiString.cached("traceparent");
    static final AsciiString FORWARDED_NETWORK = AsciiString.cached("x-forwarded-network");
    static final AsciiString SOURCE = AsciiString.cached("x-istio-source");
    static final AsciiString ORIGIN = AsciiString.cached("x-fathom-source");
    static final AsciiString PLAIN_TEXT = AsciiString.cached("plaintext");
    static final AsciiString CONTENT_LENGTH = AsciiString.cached("content-length");
    static final AsciiString CONNECT = AsciiString.cached("CONNECT");
    static final AsciiString OK = AsciiString.cached("200");

    private HeaderNames() {}

    static Http2Headers request(ConnectHeaders headers) {
        var request = new DefaultHttp2Headers(false, 8).method(CONNECT).authority(headers.authority());
        add(request, BAGGAGE, headers.baggage());
        add(request, FORWARDED, headers.forwarded());
        add(request, TRACEPARENT, headers.traceparent());
        add(request, FORWARDED_NETWORK, headers.forwardedNetwork());
        add(request, SOURCE, headers.source());
        if (headers.origin() == TunnelOrigin.PLAIN_TEXT) {
            request.add(ORIGIN, PLAIN_TEXT);
        }
        return request;
    }

    static Http2Headers response(CharSequence status, Optional<String> baggage) {
        var response = new DefaultHttp2Headers(false, 4).status(status);
        add(response, BAGGAGE, baggage);
        return response;
    }

    private static void add(Http2Headers headers, AsciiString name, Optional<String> value) {
        if (value.isPresent()) {
            headers.add(name, value.get());
        }
    }

    static ConnectHeaders read(Http2Headers headers) {
        var authority = headers.authority();
        return new ConnectHeaders(
                authority == null ? "" : authority.toString(),
                joined(headers, BAGGAGE),
                first(headers, FORWARDED),
                first(headers, TRACEPARENT),
                first(headers, FORWARDED_NETWORK),
                first(headers, SOURCE),
                headers.contains(ORIGIN) ? TunnelOrigin.PLAIN_TEXT : TunnelOrigin.BEARER);
    }

    static Optional<String> joined(Http2Headers headers, AsciiString name) {
        var all = headers.getAll(name);
        return switch (all.size()) {
            case 0 -> Optional.empty();
            case 1 -> Optional.of(all.getFirst().toString());
            default -> Optional.of(String.join(",", all));
        };
    }

    private static Optional<String> first(Http2Headers headers, AsciiString name) {
        return Optional.ofNullable(headers.get(name)).map(CharSequence::toString);
    }
}
