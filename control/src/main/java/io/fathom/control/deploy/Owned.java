package io.fathom.control.deploy;

import io.fathom.wire.kube.api.KubeObject;
import java.util.Optional;

/// What is kept of an object that was deployed for a Gateway.
///
/// @param service for a Service
record Owned(Fingerprint fingerprint, String gateway, String ownerUid, Optional<ServiceView> service) {
    static Owned of(Kinds kind, KubeObject object) {
        var metadata = object.metadata();
        var owner = metadata.at("ownerReferences").items().stream()
                .filter(reference -> reference.at("kind").text().equals("Gateway"))
                .map(reference -> reference.at("uid").text())
                .findFirst()
                .orElse("");
        return new Owned(
                Fingerprint.of(object),
                metadata.at("labels").at(Words.GATEWAY_NAME).text(),
                owner,
                kind == Kinds.SERVICE ? Optional.of(ServiceView.of(object)) : Optional.empty());
    }
}
