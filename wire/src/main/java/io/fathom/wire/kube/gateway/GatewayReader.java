// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.gateway.GatewayManifest.Address;
import io.fathom.wire.kube.gateway.GatewayManifest.AllowedListeners;
import io.fathom.wire.kube.gateway.GatewayManifest.AllowedRoutes;
import io.fathom.wire.kube.gateway.GatewayManifest.AllowedRoutes.From;
import io.fathom.wire.kube.gateway.GatewayManifest.CertificateRef;
import io.fathom.wire.kube.gateway.GatewayManifest.ClientValidation;
import io.fathom.wire.kube.gateway.GatewayManifest.ClientValidation.Strictness;
import io.fathom.wire.kube.gateway.GatewayManifest.EdgeTls;
import io.fathom.wire.kube.gateway.GatewayManifest.Infrastructure;
import io.fathom.wire.kube.gateway.GatewayManifest.Listener;
import io.fathom.wire.kube.gateway.GatewayManifest.ParametersRef;
import io.fathom.wire.kube.gateway.GatewayManifest.RouteKind;
import io.fathom.wire.kube.gateway.GatewayManifest.Tls;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Ports;
import io.fathom.wire.kube.manifest.SelectorReader;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads Gateways of the Gateway API.
public final class GatewayReader implements KindReader {
    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

    private static final Choices<From> FROM = Choices.of(From.class, from -> switch (from) {
        case ALL -> "All";
        case SAME -> "Same";
        case SELECTOR -> "Selector";
        case NONE -> "None";
    });

    private static final Choices<Strictness> STRICTNESS =
            Choices.of(Strictness.class, strictness -> switch (strictness) {
                case VALID_ONLY -> "AllowValidOnly";
                case INSECURE_FALLBACK -> "AllowInsecureFallback";
            });

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        return new GatewayManifest(
                metadata,
                interner.text(spec.at("gatewayClassName").requiredText()),
                spec.at("listeners").items().stream()
                        .map(listener -> listener(listener, interner))
                        .toList(),
                addresses(spec.at("addresses"), interner),
                addresses(object.at("status").at("addresses"), interner),
                edgeTls(spec.at("tls"), interner),
                infrastructure(spec.at("infrastructure"), object.at("metadata").at("annotations"), interner),
                allowedListeners(spec.at("allowedListeners").at("namespaces")),
                generation(object));
    }

    public static int generation(Field object) {
        return object.at("metadata")
                .at("generation")
                .integer(0, Integer.MAX_VALUE)
                .orElse(0);
    }

    private static Infrastructure infrastructure(Field field, Field own, Interner interner) {
        var ownAnnotations = new HashMap<>(own.textMap());
        ownAnnotations.remove(LAST_APPLIED);
        var parameters = field.at("parametersRef");
        return new Infrastructure(
                texts(field.at("labels"), interner),
                texts(field.at("annotations"), interner),
                interner.map(ownAnnotations),
                parameters.isPresent()
                        ? Optional.of(new ParametersRef(
                                parameters.at("group").text(),
                                parameters.at("kind").text(),
                                parameters.at("name").text()))
                        : Optional.empty());
    }

    private static Optional<Map<String, String>> texts(Field field, Interner interner) {
        return field.isPresent() ? Optional.of(interner.map(field.textMap())) : Optional.empty();
    }

    private static AllowedListeners allowedListeners(Field namespaces) {
        return namespaces.isPresent()
                ? new AllowedListeners(
                        namespaces.at("from").oneOf(FROM, From.NONE), SelectorReader.labels(namespaces.at("selector")))
                : AllowedListeners.NOBODYS;
    }

    private static EdgeTls edgeTls(Field tls, Interner interner) {
        var backend = tls.at("backend").at("clientCertificateRef");
        var ports = new HashMap<Integer, Optional<ClientValidation>>();
        for (var port : tls.at("frontend").at("perPort").items()) {
            ports.put(Ports.number(port.at("port")), validation(port.at("tls").at("validation"), interner));
        }
        return tls.isPresent()
                ? new EdgeTls(
                        validation(tls.at("frontend").at("default").at("validation"), interner),
                        ports,
                        backend.isPresent() ? Optional.of(reference(backend, interner)) : Optional.empty())
                : EdgeTls.NONE;
    }

    private static Optional<ClientValidation> validation(Field validation, Interner interner) {
        return validation.isPresent()
                ? Optional.of(new ClientValidation(
                        validation.at("caCertificateRefs").items().stream()
                                .map(ref -> reference(ref, interner))
                                .toList(),
                        validation.at("mode").oneOf(STRICTNESS, Strictness.VALID_ONLY)))
                : Optional.empty();
    }

    private static CertificateRef reference(Field ref, Interner interner) {
        return new CertificateRef(
                ref.at("group").text(),
                interner.text(ref.at("kind").text("Secret")),
                interner.text(ref.at("namespace").text()),
                ref.at("name").requiredText());
    }

    static Listener listener(Field listener, Interner interner) {
        return new Listener(
                interner.text(listener.at("name").requiredText()),
                interner.text(listener.at("hostname").text()),
                Ports.number(listener.at("port")),
                interner.text(listener.at("protocol").requiredText()),
                tls(listener.at("tls"), interner),
                allowedRoutes(listener.at("allowedRoutes"), interner));
    }

    private static Optional<Tls> tls(Field tls, Interner interner) {
        if (!tls.isPresent()) {
            return Optional.empty();
        }
        var certificates = tls.at("certificateRefs").items().stream()
                .map(ref -> reference(ref, interner))
                .toList();
        return Optional.of(new Tls(
                interner.text(tls.at("mode").text("Terminate")),
                certificates,
                interner.map(tls.at("options").textMap())));
    }

    private static AllowedRoutes allowedRoutes(Field allowed, Interner interner) {
        var namespaces = allowed.at("namespaces");
        var kinds = allowed.at("kinds").items().stream()
                .map(kind -> interner.record(new RouteKind(
                        interner.text(kind.at("group").text(RouteKind.GATEWAY_API)),
                        interner.text(kind.at("kind").requiredText()))))
                .toList();
        return new AllowedRoutes(
                namespaces.at("from").oneOf(FROM, From.SAME), SelectorReader.labels(namespaces.at("selector")), kinds);
    }

    private static List<Address> addresses(Field addresses, Interner interner) {
        return addresses.items().stream()
                .map(address -> new Address(
                        interner.text(address.at("type").text("IPAddress")),
                        address.at("value").text()))
                .toList();
    }
}
