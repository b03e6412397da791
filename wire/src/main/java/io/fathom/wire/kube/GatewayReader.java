package io.fathom.wire.kube;

import io.fathom.wire.kube.GatewayManifest.Address;
import io.fathom.wire.kube.GatewayManifest.AllowedRoutes;
import io.fathom.wire.kube.GatewayManifest.AllowedRoutes.From;
import io.fathom.wire.kube.GatewayManifest.Listener;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.util.List;

/// Reads Gateways of the Gateway API.
final class GatewayReader implements KindReader {
    private static final Choices<From> FROM = Choices.of(From.class, from -> switch (from) {
        case ALL -> "All";
        case SAME -> "Same";
        case SELECTOR -> "Selector";
        case NONE -> "None";
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
                addresses(object.at("status").at("addresses"), interner));
    }

    private static Listener listener(Field listener, Interner interner) {
        return new Listener(
                interner.text(listener.at("name").requiredText()),
                Ports.number(listener.at("port")),
                interner.text(listener.at("protocol").requiredText()),
                tlsMode(listener.at("tls"), interner),
                allowedRoutes(listener.at("allowedRoutes").at("namespaces")));
    }

    private static String tlsMode(Field tls, Interner interner) {
        return tls.isPresent() ? interner.text(tls.at("mode").text("Terminate")) : "";
    }

    private static AllowedRoutes allowedRoutes(Field namespaces) {
        return new AllowedRoutes(
                namespaces.at("from").oneOf(FROM, From.SAME), SelectorReader.labels(namespaces.at("selector")));
    }

    private static List<Address> addresses(Field addresses, Interner interner) {
        return addresses.items().stream()
                .map(address -> new Address(
                        interner.text(address.at("type").text("IPAddress")),
                        address.at("value").text()))
                .toList();
    }
}
