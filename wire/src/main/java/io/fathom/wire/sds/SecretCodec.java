// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.sds;

import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.protobuf.ProtoReader;
import io.fathom.wire.protobuf.ProtoWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Secrets and the messages around them. Stateless.
final class SecretCodec {
    static final String TYPE = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret";

    private static final int INLINE_BYTES = 2; // of a DataSource

    private SecretCodec() {}

    /// What a client says in a state-of-the-world stream.
    ///
    /// @param nonce of the answer that it has dealt with; empty at first
    /// @param error why it did not take that answer; empty if it did
    record Request(List<String> names, String nonce, String error) {}

    /// What a client says in a delta stream.
    record DeltaRequest(List<String> subscribe, List<String> unsubscribe, String nonce, String error) {}

    static byte[] certificate(String name, TlsIdentity identity) {
        var message = new ProtoWriter(); // from its end to its start
        var certificate = message.mark();
        source(message, 2, Pem.encode(identity.key()));
        source(message, 1, Pem.encode(identity.chain()));
        message.close(2, certificate);
        message.text(1, name);
        return message.bytes();
    }

    static byte[] trust(String name, List<X509Certificate> roots) {
        var message = new ProtoWriter();
        var context = message.mark();
        source(message, 1, Pem.encode(roots));
        message.close(4, context);
        message.text(1, name);
        return message.bytes();
    }

    private static void source(ProtoWriter message, int field, String pem) {
        var mark = message.mark();
        message.bytes(INLINE_BYTES, pem.getBytes(StandardCharsets.US_ASCII));
        message.close(field, mark);
    }

    static byte[] response(String version, String nonce, List<byte[]> secrets) {
        var message = new ProtoWriter();
        message.text(5, nonce);
        message.text(4, TYPE);
        for (var secret : secrets.reversed()) {
            any(message, 2, secret);
        }
        message.text(1, version);
        return message.bytes();
    }

    /// @param secrets by name
    /// @param versions of them, by name
    static byte[] deltaResponse(
            String nonce, Map<String, byte[]> secrets, Map<String, String> versions, List<String> removed) {
        var message = new ProtoWriter();
        message.texts(6, removed);
        message.text(5, nonce);
        message.text(4, TYPE);
        secrets.forEach((name, secret) -> {
            var resource = message.mark();
            message.text(3, name);
            any(message, 2, secret);
            message.text(1, versions.getOrDefault(name, ""));
            message.close(2, resource);
        });
        return message.bytes();
    }

    private static void any(ProtoWriter message, int field, byte[] value) {
        var mark = message.mark();
        message.bytes(2, value);
        message.text(1, TYPE);
        message.close(field, mark);
    }

    static Request request(byte[] message) throws IOException {
        var names = new ArrayList<String>();
        var nonce = "";
        var error = "";
        for (var fields = new ProtoReader(message); fields.next(); ) {
            switch (fields.field()) {
                case 3 -> names.add(fields.text());
                case 5 -> nonce = fields.text();
                case 6 -> error = error(fields.bytes());
                default -> {} // version, node, type
            }
        }
        return new Request(List.copyOf(names), nonce, error);
    }

    static DeltaRequest deltaRequest(byte[] message) throws IOException {
        var subscribe = new ArrayList<String>();
        var unsubscribe = new ArrayList<String>();
        var nonce = "";
        var error = "";
        for (var fields = new ProtoReader(message); fields.next(); ) {
            switch (fields.field()) {
                case 3 -> subscribe.add(fields.text());
                case 4 -> unsubscribe.add(fields.text());
                case 6 -> nonce = fields.text();
                case 7 -> error = error(fields.bytes());
                default -> {} // node, type, versions of an earlier stream
            }
        }
        return new DeltaRequest(List.copyOf(subscribe), List.copyOf(unsubscribe), nonce, error);
    }

    private static String error(byte[] status) throws IOException {
        for (var fields = new ProtoReader(status); fields.next(); ) {
            if (fields.field() == 2) {
                return fields.text();
            }
        }
        return "no reason given";
    }
}
