// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.core;

import io.fathom.wire.kube.core.EndpointSliceManifest.AddressType;
import io.fathom.wire.kube.core.EndpointSliceManifest.Endpoint;
import io.fathom.wire.kube.core.EndpointSliceManifest.SlicePort;
import io.fathom.wire.kube.core.EndpointSliceManifest.TargetRef;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Ports;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.util.Optional;

/// Reads EndpointSlices, which have no `spec`.
public final class EndpointSliceReader implements KindReader {
    private static final Choices<AddressType> TYPES = Choices.of(AddressType.class, type -> switch (type) {
        case IPV4 -> "IPv4";
        case IPV6 -> "IPv6";
        case FQDN -> "FQDN";
    });

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        return new EndpointSliceManifest(
                metadata,
                metadata.labels().getOrDefault("kubernetes.io/service-name", ""),
                object.at("addressType").oneOf(TYPES),
                object.at("endpoints").items().stream()
                        .map(endpoint -> endpoint(endpoint, interner))
                        .toList(),
                interner.list(object.at("ports").items().stream()
                        .map(port -> port(port, interner))
                        .toList()));
    }

    private static Endpoint endpoint(Field endpoint, Interner interner) {
        return new Endpoint(
                endpoint.at("addresses").texts(),
                endpoint.at("conditions").at("ready").flag(Field.Absent.MEANS_TRUE),
                target(endpoint.at("targetRef"), interner));
    }

    private static Optional<TargetRef> target(Field target, Interner interner) {
        return target.isPresent()
                ? Optional.of(new TargetRef(
                        interner.text(target.at("kind").text()),
                        interner.text(target.at("namespace").text()),
                        target.at("name").text(),
                        target.at("uid").text()))
                : Optional.empty();
    }

    private static SlicePort port(Field port, Interner interner) {
        return interner.record(new SlicePort(
                interner.text(port.at("name").text()),
                port.at("port").integer(1, Ports.MOST).orElse(0),
                Ports.transport(port.at("protocol"))));
    }
}
