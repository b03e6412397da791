// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.core;

import io.fathom.model.mesh.Locality;
import io.fathom.wire.kube.gateway.GatewayClassManifest;
import io.fathom.wire.kube.gateway.GatewayReader;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.tree.Field;
import java.util.HashMap;
import java.util.Map;

/// The kinds of which little more than the metadata counts.
public final class PlainReaders {
    private PlainReaders() {}

    public static Manifest namespace(Metadata metadata, Field object, Interner interner) {
        var labels = new HashMap<>(metadata.labels());
        labels.put("kubernetes.io/metadata.name", metadata.key().name());
        return new NamespaceManifest(with(metadata, interner.map(labels), metadata.annotations()));
    }

    public static Manifest node(Metadata metadata, Field object, Interner interner) {
        var labels = metadata.labels();
        var locality = new Locality(
                labels.getOrDefault("topology.kubernetes.io/region", ""),
                labels.getOrDefault("topology.kubernetes.io/zone", ""),
                labels.getOrDefault("topology.istio.io/subzone", ""));
        return new NodeManifest(with(metadata, Map.of(), Map.of()), interner.record(locality));
    }

    public static Manifest gatewayClass(Metadata metadata, Field object, Interner interner) {
        var controller = object.at("spec").at("controllerName").requiredText();
        return new GatewayClassManifest(metadata, interner.text(controller), GatewayReader.generation(object));
    }

    /// Of a ConfigMap that has them.
    static Manifest caBundle(Metadata metadata, Field object, Interner interner) {
        return new CaBundleManifest(
                with(metadata, Map.of(), Map.of()),
                interner.text(object.at("data").at("ca.crt").text()));
    }

    private static Metadata with(Metadata metadata, Map<String, String> labels, Map<String, String> annotations) {
        return new Metadata(
                metadata.key(), metadata.uid(), labels, annotations, metadata.created(), metadata.lifecycle());
    }
}
