// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.sds;

import io.fathom.model.trust.TrustMap;
import io.fathom.model.trust.TrustRoot;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.TrustRoots;
import io.fathom.wire.protobuf.ProtoReader;
import io.fathom.wire.protobuf.ProtoWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Whose roots vouch for which trust domain, as a secret that Envoys can use: a validation context with their SPIFFE
/// validator. Our node proxies read the same. Stateless.
public final class TrustSecret {
    /// The name of the only one.
    public static final String NAME = "mesh-trust";

    private static final String VALIDATOR = "envoy.tls.cert_validator.spiffe";
    private static final String CONFIG =
            "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.SPIFFECertValidatorConfig";

    private static final int NAME_FIELD = 1; // of a secret, and of a trust domain
    private static final int VALIDATION = 4;
    private static final int VALIDATOR_FIELD = 12;
    private static final int DOMAINS = 1;
    private static final int BUNDLE = 2;
    private static final int INLINE_BYTES = 2;
    private static final int TYPED = 2;
    private static final int VALUE = 2; // of an Any

    private TrustSecret() {}

    public static byte[] encode(TrustMap map) {
        var config = new ProtoWriter(); // from its end to its start
        map.domains().reversed().forEach((domain, roots) -> {
            var mark = config.mark();
            var bundle = config.mark();
            config.bytes(
                    INLINE_BYTES, Pem.encode(TrustRoots.certificates(roots)).getBytes(StandardCharsets.US_ASCII));
            config.close(BUNDLE, bundle);
            config.text(NAME_FIELD, domain);
            config.close(DOMAINS, mark);
        });
        var secret = new ProtoWriter();
        var context = secret.mark();
        var validator = secret.mark();
        var typed = secret.mark();
        secret.bytes(VALUE, config.bytes());
        secret.text(1, CONFIG);
        secret.close(TYPED, typed);
        secret.text(1, VALIDATOR);
        secret.close(VALIDATOR_FIELD, validator);
        secret.close(VALIDATION, context);
        secret.text(NAME_FIELD, NAME);
        return secret.bytes();
    }

    /// What [#encode] wrote.
    ///
    /// @throws IOException if it is something else
    public static TrustMap decode(byte[] secret) throws IOException {
        var config = within(secret, VALIDATION, VALIDATOR_FIELD, TYPED, VALUE);
        var domains = new TreeMap<String, List<TrustRoot>>();
        for (var fields = new ProtoReader(config); fields.next(); ) {
            if (fields.field() == DOMAINS) {
                domain(fields.bytes(), domains);
            }
        }
        if (domains.isEmpty()) {
            throw new IOException("there are no trust domains in it");
        }
        return new TrustMap(domains);
    }

    private static void domain(byte[] message, Map<String, List<TrustRoot>> domains) throws IOException {
        var name = "";
        var roots = new ArrayList<TrustRoot>();
        for (var fields = new ProtoReader(message); fields.next(); ) {
            if (fields.field() == NAME_FIELD) {
                name = fields.text();
            } else if (fields.field() == BUNDLE) {
                var pem = new String(within(fields.bytes(), INLINE_BYTES), StandardCharsets.US_ASCII);
                roots.addAll(TrustRoots.of(Pem.certificates(pem)));
            }
        }
        domains.put(name, roots);
    }

    private static byte[] within(byte[] message, int... path) throws IOException {
        var inner = message;
        for (var step : path) {
            inner = field(inner, step);
        }
        return inner;
    }

    private static byte[] field(byte[] message, int number) throws IOException {
        for (var fields = new ProtoReader(message); fields.next(); ) {
            if (fields.field() == number) {
                return fields.bytes();
            }
        }
        throw new IOException("field " + number + " is missing");
    }
}
