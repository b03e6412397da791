// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest.AltName;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest.AuthorityRef;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;

/// Reads BackendTLSPolicies. What they refer to stays as written: a reference that leads nowhere makes the policy
/// refuse traffic, not unreadable.
public final class BackendTlsPolicyReader implements KindReader {
    private static final Choices<AltName.Type> NAMES = Choices.of(AltName.Type.class, type -> switch (type) {
        case HOSTNAME -> "Hostname";
        case URI -> "URI";
    });

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        var validation = spec.at("validation");
        return new BackendTlsPolicyManifest(
                metadata,
                BackendTargets.read(spec, interner),
                validation.at("caCertificateRefs").items().stream()
                        .map(ref -> new AuthorityRef(
                                interner.text(ref.at("group").text()),
                                interner.text(ref.at("kind").requiredText()),
                                ref.at("name").requiredText()))
                        .toList(),
                validation.at("wellKnownCACertificates").text(),
                validation.at("hostname").requiredText(),
                validation.at("subjectAltNames").items().stream()
                        .map(BackendTlsPolicyReader::altName)
                        .toList(),
                interner.map(spec.at("options").textMap()));
    }

    private static AltName altName(Field name) {
        var type = name.at("type").oneOf(NAMES);
        var value = name.at(type == AltName.Type.HOSTNAME ? "hostname" : "uri").requiredText();
        return new AltName(type, value);
    }
}
