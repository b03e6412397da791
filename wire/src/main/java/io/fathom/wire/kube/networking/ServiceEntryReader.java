// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.networking;

import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Ports;
import io.fathom.wire.kube.networking.ServiceEntryManifest.AssignedAddress;
import io.fathom.wire.kube.networking.ServiceEntryManifest.EntryPort;
import io.fathom.wire.kube.networking.ServiceEntryManifest.Resolution;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.util.List;

/// Reads ServiceEntries. Addresses stay as written: one that is none makes the entry useless, not unreadable.
public final class ServiceEntryReader implements KindReader {
    private static final Choices<Resolution> RESOLUTIONS = Choices.of(Resolution.class, Resolution::name);

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        return new ServiceEntryManifest(
                metadata,
                hosts(spec.at("hosts")),
                spec.at("addresses").texts(),
                interner.list(spec.at("ports").items().stream()
                        .map(port -> port(port, interner))
                        .toList()),
                spec.at("resolution").oneOf(RESOLUTIONS, Resolution.NONE),
                spec.at("endpoints").items().stream()
                        .map(endpoint -> EntryEndpoints.read(endpoint, interner))
                        .toList(),
                interner.map(spec.at("workloadSelector").at("labels").textMap()),
                spec.at("subjectAltNames").texts(),
                object.at("status").at("addresses").items().stream()
                        .map(address -> new AssignedAddress(
                                address.at("value").text(), address.at("host").text()))
                        .toList());
    }

    private static List<String> hosts(Field hosts) {
        var texts = hosts.texts();
        if (texts.isEmpty()) {
            throw hosts.missing("list at least one host name");
        }
        return texts;
    }

    private static EntryPort port(Field port, Interner interner) {
        return interner.record(new EntryPort(
                interner.text(port.at("name").requiredText()),
                Ports.number(port.at("number")),
                interner.text(port.at("protocol").text()),
                port.at("targetPort").integer(0, Ports.MOST).orElse(0)));
    }
}
