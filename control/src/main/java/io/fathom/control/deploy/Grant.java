package io.fathom.control.deploy;

import io.fathom.wire.kube.api.KubeObject;
import java.util.List;

/// A ReferenceGrant, as far as Gateways and Secrets are concerned.
///
/// @param from namespaces whose Gateways may refer
/// @param secrets that they may refer to; an empty name means all
record Grant(List<String> from, List<String> secrets) {
    Grant {
        from = List.copyOf(from);
        secrets = List.copyOf(secrets);
    }

    static Grant of(KubeObject object) {
        var spec = object.root().at("spec");
        return new Grant(
                spec.at("from").items().stream()
                        .filter(from -> from.at("group").text().equals(Words.GATEWAY_API)
                                && from.at("kind").text().equals("Gateway"))
                        .map(from -> from.at("namespace").text())
                        .toList(),
                spec.at("to").items().stream()
                        .filter(to -> to.at("group").text().isEmpty()
                                && to.at("kind").text().equals("Secret"))
                        .map(to -> to.at("name").text())
                        .toList());
    }

    boolean permits(String namespace, String secret) {
        return from.contains(namespace) && (secrets.contains("") || secrets.contains(secret));
    }
}
