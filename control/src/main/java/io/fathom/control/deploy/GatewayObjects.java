package io.fathom.control.deploy;

import io.fathom.control.deploy.GatewayObject.Infrastructure;
import io.fathom.control.deploy.GatewayObject.ParametersRef;
import io.fathom.control.deploy.GatewayObject.Phase;
import io.fathom.wire.kube.GatewayManifest;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// Reads Gateways. One thread only.
final class GatewayObjects {
    private final ManifestReader reader = new ManifestReader(ReaderConfig.of("", "", ""));

    /// Empty when the object makes no sense to us; the API server's own checks let few of those in.
    Optional<GatewayObject> read(KubeObject object) {
        for (var reading : reader.read(object.tree(), _ -> Instant.EPOCH)) {
            if (reading instanceof Reading.Good good && good.manifest() instanceof GatewayManifest manifest) {
                try {
                    return Optional.of(read(object, manifest));
                } catch (MisreadException e) {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }

    private static GatewayObject read(KubeObject object, GatewayManifest manifest) {
        var metadata = object.metadata();
        return new GatewayObject(
                object.namespace(),
                object.name(),
                object.uid(),
                metadata.at("generation").integer(0, Integer.MAX_VALUE).orElse(0),
                object.isDeleting() ? Phase.DELETING : Phase.LIVING,
                manifest.className(),
                metadata.at("labels").textMap(),
                metadata.at("annotations").textMap(),
                infrastructure(object.root().at("spec").at("infrastructure")),
                manifest.listeners(),
                manifest.specAddresses(),
                manifest.statusAddresses(),
                status(object.tree()));
    }

    private static Infrastructure infrastructure(Field field) {
        var parameters = field.at("parametersRef");
        return new Infrastructure(
                texts(field.at("labels")),
                texts(field.at("annotations")),
                parameters.isPresent()
                        ? Optional.of(new ParametersRef(
                                parameters.at("group").text(),
                                parameters.at("kind").text(),
                                parameters.at("name").text()))
                        : Optional.empty());
    }

    private static Optional<Map<String, String>> texts(Field field) {
        return field.isPresent() ? Optional.of(Map.copyOf(field.textMap())) : Optional.empty();
    }

    private static Tree status(Tree object) {
        return object instanceof Tree.Mapping mapping && mapping.entries().get("status") instanceof Tree.Mapping status
                ? status
                : new Tree.Mapping(object.at(), new LinkedHashMap<>());
    }
}
