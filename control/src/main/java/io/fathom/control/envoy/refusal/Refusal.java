package io.fathom.control.envoy.refusal;

import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.Metadata;
import io.fathom.base.lang.Problem;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.waypoint.ServicePart;
import io.fathom.wire.kube.ObjectKey;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What proxies refused, and the objects that it comes from.
///
/// @param objects as `Kind/namespace/name`
record Refusal(Set<String> objects, String error) {
    private static final Map<String, String> KINDS = Map.ofEntries(
            Map.entry("http-route", "HTTPRoute"),
            Map.entry("httproute", "HTTPRoute"),
            Map.entry("grpc-route", "GRPCRoute"),
            Map.entry("grpcroute", "GRPCRoute"),
            Map.entry("tcp-route", "TCPRoute"),
            Map.entry("tls-route", "TLSRoute"),
            Map.entry("virtual-service", "VirtualService"),
            Map.entry("destination-rule", "DestinationRule"));

    /// Nothing that a user wrote for a service: the Gateway itself.
    static Refusal ofGateway(ObjectKey gateway, String error) {
        return new Refusal(Set.of(gateway(gateway)), error);
    }

    /// The object that a culprit comes from.
    static Refusal of(Ingredient culprit, String error) {
        return culprit.content() instanceof ServicePart part
                ? new Refusal(Set.of(name(part.service())), error)
                : new Refusal(Set.of(culprit.object()), error);
    }

    /// Where a cluster comes from: a rule, else a service.
    static Refusal of(Metadata metadata, ObjectKey group, String error) {
        return new Refusal(Set.of(origin(metadata, group)), error);
    }

    /// As `Kind/namespace/name`: a rule, else a service, else the Gateway.
    static String origin(Metadata metadata, ObjectKey group) {
        return rule(metadata).or(() -> service(metadata)).orElseGet(() -> gateway(group));
    }

    private static String gateway(ObjectKey group) {
        return "Gateway/" + group.path();
    }

    private static Optional<String> service(Metadata metadata) {
        var istio = metadata.getFilterMetadataMap().get("istio");
        return istio == null || !istio.containsFields("services")
                ? Optional.empty()
                : istio.getFieldsOrThrow("services").getListValue().getValuesList().stream()
                        .map(value -> value.getStructValue().getFieldsMap())
                        .filter(fields -> fields.containsKey("name") && fields.containsKey("namespace"))
                        .map(fields -> "Service/" + text(fields, "namespace") + "/" + text(fields, "name"))
                        .findFirst();
    }

    private static String text(Map<String, Value> fields, String name) {
        return fields.getOrDefault(name, Value.getDefaultInstance()).getStringValue();
    }

    private static String name(MeshService service) {
        var kind = service.origin() == MeshService.Origin.SERVICE ? "Service/" : "ServiceEntry/";
        return kind + service.metadata().key().path();
    }

    /// As `/apis/<group>/<version>/namespaces/<namespace>/<kind>/<name>`.
    private static Optional<String> rule(Metadata metadata) {
        var istio = metadata.getFilterMetadataMap().get("istio");
        var path = istio == null || !istio.containsFields("config")
                ? ""
                : istio.getFieldsOrThrow("config").getStringValue();
        var words = path.split("/", -1);
        return words.length == 8 && words[4].equals("namespaces")
                ? Optional.of(KINDS.getOrDefault(words[6], words[6]) + "/" + words[5] + "/" + words[7])
                : Optional.empty();
    }

    Map<String, Problem> problems() {
        var result = new LinkedHashMap<String, Problem>();
        objects.forEach(object -> result.put(
                object,
                Problem.ofInput(
                        "envoy-refused",
                        "proxies refuse what " + object + " says, and go on with what they had: " + error,
                        "correct the object; see the message of the proxy")));
        return result;
    }
}
