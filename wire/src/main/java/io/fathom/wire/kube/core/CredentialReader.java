// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.core;

import io.fathom.wire.kube.core.CredentialManifest.KeyPair;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.tree.Field;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/// Reads Secrets that hold certificates: of type `kubernetes.io/tls`, or with entries that Istio knows. Of others, and
/// of tokens of service accounts, which come with a certificate of the cluster, only the type is our business.
public final class CredentialReader implements KindReader {
    private static final List<String> CHAIN = List.of("tls.crt", "cert");
    private static final List<String> KEY = List.of("tls.key", "key");
    private static final List<String> AUTHORITIES = List.of("ca.crt", "cacert");
    private static final List<String> REVOCATIONS = List.of("ca.crl", "crl");

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var type = interner.text(object.at("type").text());
        if (!CredentialManifest.mayHoldCertificates(type)) {
            return new CredentialManifest(metadata, type, Optional.empty(), Optional.empty(), Optional.empty());
        }
        var chain = value(object, CHAIN);
        var key = value(object, KEY);
        return new CredentialManifest(
                metadata,
                type,
                chain.flatMap(text -> key.map(secret -> new KeyPair(text, secret))),
                value(object, AUTHORITIES),
                value(object, REVOCATIONS));
    }

    private static Optional<SecretText> value(Field object, List<String> names) {
        for (var name : names) {
            var plain = object.at("stringData").at(name); // what somebody writes by hand; servers turn it into data
            if (plain.isPresent()) {
                return Optional.of(new SecretText(plain.text()));
            }
            var encoded = object.at("data").at(name);
            if (encoded.isPresent()) {
                return Optional.of(decoded(encoded));
            }
        }
        return Optional.empty();
    }

    private static SecretText decoded(Field encoded) {
        try {
            var bytes = Base64.getMimeDecoder().decode(encoded.text());
            return new SecretText(new String(bytes, StandardCharsets.ISO_8859_1));
        } catch (IllegalArgumentException e) {
            throw encoded.wrong("manifest-bad-value", "is not in Base64", "encode it, or write it under stringData");
        }
    }
}
