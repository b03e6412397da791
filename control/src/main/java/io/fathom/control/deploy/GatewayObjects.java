package io.fathom.control.deploy;

import io.fathom.control.deploy.GatewayObject.Infrastructure;
import io.fathom.control.deploy.GatewayObject.ParametersRef;
import io.fathom.control.deploy.GatewayObject.Phase;
import io.fathom.wire.kube.GatewayManifest;
import io.fathom.wire.kube.ListenerSetManifest;
import io.fathom.wire.kube.Manifest;
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
import java.util.function.BiFunction;

/// Reads Gateways and ListenerSets. One thread only.
final class GatewayObjects {
    private final ManifestReader reader = new ManifestReader(ReaderConfig.of("", "", ""));

    /// Empty when the object makes no sense to us; the API server's own checks let few of those in.
    Optional<GatewayObject> read(KubeObject object) {
        return read(object, GatewayManifest.class, GatewayObjects::read);
    }

    /// Empty when the object makes no sense to us, or adds to something else than a Gateway.
    Optional<ListenerSetObject> readSet(KubeObject object) {
        return read(object, ListenerSetManifest.class, GatewayObjects::read)
                .filter(set -> set.manifest().parent().isGateway());
    }

    private <M extends Manifest, T> Optional<T> read(
            KubeObject object, Class<M> kind, BiFunction<KubeObject, M, T> maker) {
        for (var reading : reader.read(object.tree(), _ -> Instant.EPOCH)) {
            if (reading instanceof Reading.Good good && kind.isInstance(good.manifest())) {
                try {
                    return Optional.of(maker.apply(object, kind.cast(good.manifest())));
                } catch (MisreadException e) {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }

    private static ListenerSetObject read(KubeObject object, ListenerSetManifest manifest) {
        return new ListenerSetObject(manifest, object.uid(), generation(object), status(object.tree()));
    }

    private static int generation(KubeObject object) {
        return object.metadata().at("generation").integer(0, Integer.MAX_VALUE).orElse(0);
    }

    private static GatewayObject read(KubeObject object, GatewayManifest manifest) {
        var metadata = object.metadata();
        return new GatewayObject(
                object.namespace(),
                object.name(),
                object.uid(),
                generation(object),
                object.isDeleting() ? Phase.DELETING : Phase.LIVING,
                manifest.className(),
                metadata.at("labels").textMap(),
                metadata.at("annotations").textMap(),
                infrastructure(object.root().at("spec").at("infrastructure")),
                manifest.listeners(),
                manifest.specAddresses(),
                manifest.statusAddresses(),
                manifest.clients(),
                manifest.allowedListeners(),
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
