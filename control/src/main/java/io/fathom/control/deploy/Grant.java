package io.fathom.control.deploy;

import io.fathom.control.deploy.Certificates.Referrer;
import io.fathom.wire.kube.api.KubeObject;
import java.util.List;

/// A ReferenceGrant, as far as Gateways and certificates are concerned.
///
/// @param from who may refer
/// @param to what they may refer to
record Grant(List<Referrer> from, List<To> to) {
    /// @param name empty for all of that kind
    record To(String kind, String name) {}

    Grant {
        from = List.copyOf(from);
        to = List.copyOf(to);
    }

    static Grant of(KubeObject object) {
        var spec = object.root().at("spec");
        return new Grant(
                spec.at("from").items().stream()
                        .filter(from -> from.at("group").text().equals(Words.GATEWAY_API))
                        .map(from -> new Referrer(
                                from.at("kind").text(), from.at("namespace").text()))
                        .toList(),
                spec.at("to").items().stream()
                        .filter(to -> to.at("group").text().isEmpty())
                        .map(to -> new To(to.at("kind").text(), to.at("name").text()))
                        .toList());
    }

    boolean permits(Referrer referrer, String kind, String name) {
        return from.contains(referrer) && (to.contains(new To(kind, "")) || to.contains(new To(kind, name)));
    }
}
