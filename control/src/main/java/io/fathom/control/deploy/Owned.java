// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.wire.kube.api.KubeObject;

/// What is kept of an object that was deployed for a Gateway.
record Owned(Fingerprint fingerprint, String gateway, String ownerUid) {
    static Owned of(KubeObject object) {
        var metadata = object.metadata();
        var owner = metadata.at("ownerReferences").items().stream()
                .filter(reference -> reference.at("kind").text().equals("Gateway"))
                .map(reference -> reference.at("uid").text())
                .findFirst()
                .orElse("");
        return new Owned(
                Fingerprint.of(object),
                metadata.at("labels").at(GatewayLabels.GATEWAY_NAME).text(),
                owner);
    }
}
