// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpPort;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/// Why there is no tunnel.
public sealed interface HboneFailure {
    /// No certificate for our side, yet or at all.
    record CertificateMissing(Identity identity, Problem reason) implements HboneFailure {}

    /// No answer to the dial at all, as when a network policy drops it.
    record DialTimeout(IpPort hop, Duration after) implements HboneFailure {}

    record DialFailed(IpPort hop, String reason) implements HboneFailure {}

    /// The TLS handshake failed on either side.
    record TlsFailed(IpPort hop, String reason) implements HboneFailure {}

    /// The handshake went well, with somebody else.
    record WrongPeer(IpPort hop, Set<Identity> accepted, List<Identity> shown) implements HboneFailure {}

    /// A certificate of the peer has been revoked.
    record Revoked(IpPort hop, List<Identity> shown) implements HboneFailure {}

    record HandshakeTimeout(IpPort hop, Duration after) implements HboneFailure {}

    /// The HTTP/2 connection broke before there was an answer.
    record Http2Failed(IpPort hop, String reason) implements HboneFailure {}

    /// The request was sent, and nobody answered.
    record ReplyTimeout(IpPort hop, Duration after) implements HboneFailure {}

    /// Answered with another status than 200.
    record Refused(IpPort hop, int status, String text) implements HboneFailure {}

    /// The pool has been closed.
    record Closed() implements HboneFailure {}

    /// Whether another endpoint may do better. No byte of the client has been sent in any of these cases.
    default boolean worthTryingElsewhere() {
        return switch (this) {
            case DialTimeout t -> true;
            case DialFailed t -> true;
            case TlsFailed t -> true;
            case WrongPeer t -> true;
            case Revoked t -> true;
            case HandshakeTimeout t -> true;
            case Http2Failed t -> true;
            case ReplyTimeout t -> false; // somebody may be at work
            case Refused refused -> refused.status() == 503;
            case CertificateMissing t -> false;
            case Closed t -> false;
        };
    }

    default Problem problem() {
        return switch (this) {
            case CertificateMissing(var identity, var reason) ->
                new Problem(
                        "certificate-missing",
                        "no certificate for " + identity.uri() + ": " + reason.message(),
                        reason.fix(),
                        reason.origin(),
                        reason.retry());
            case DialTimeout(var hop, var after) ->
                mesh(
                        "hbone-connect-timeout",
                        "no answer from " + hop + " within " + text(after),
                        "allow TCP " + hop.port() + " between both pods in every NetworkPolicy");
            case DialFailed(var hop, var reason) ->
                mesh("hbone-connect-failed", "cannot connect to " + hop + ": " + reason, "see whether the peer runs");
            case TlsFailed(var hop, var reason) ->
                mesh(
                        "hbone-tls-failed",
                        "TLS with " + hop + " failed: " + reason,
                        "compare the root certificates and trust domains of both sides");
            case WrongPeer(var hop, var accepted, var shown) ->
                mesh(
                        "hbone-wrong-peer",
                        hop + " is " + uris(shown) + ", expected was " + uris(accepted),
                        "see whether the address has changed hands, and which service account the peer runs with");
            case Revoked(var hop, var shown) ->
                mesh(
                        "hbone-certificate-revoked",
                        "the certificate of " + hop + ", " + uris(shown) + ", is revoked",
                        "give the peer a new certificate, or correct the revocation list");
            case HandshakeTimeout(var hop, var after) ->
                mesh(
                        "hbone-handshake-timeout",
                        "no TLS handshake with " + hop + " within " + text(after),
                        "see whether the peer is overloaded, or something else listens there");
            case Http2Failed(var hop, var reason) ->
                mesh("hbone-http2-failed", "HTTP/2 with " + hop + " failed: " + reason, "look into the peer's log");
            case ReplyTimeout(var hop, var after) ->
                mesh(
                        "hbone-reply-timeout",
                        "no reply to CONNECT from " + hop + " within " + text(after),
                        "see whether the application behind the peer accepts connections");
            case Refused(var hop, var status, var text) ->
                mesh(
                        "hbone-refused",
                        hop + " refused with status " + status + (text.isEmpty() ? "" : ": " + text),
                        status == 401 ? "allow it in an AuthorizationPolicy" : "look into the peer's log");
            case Closed closed -> mesh("hbone-closed", "the proxy of this pod has been stopped", "");
        };
    }

    private static Problem mesh(String code, String message, String fix) {
        return new Problem(code, message, fix, Origin.MESH, Retry.SENSIBLE);
    }

    private static String text(Duration duration) {
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + "s" : duration.toMillis() + "ms";
    }

    private static String uris(java.util.Collection<Identity> identities) {
        return identities.isEmpty()
                ? "nobody"
                : String.join(
                        ", ", identities.stream().map(Identity::uri).sorted().toList());
    }
}
