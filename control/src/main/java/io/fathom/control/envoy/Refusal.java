package io.fathom.control.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.Metadata;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.fathom.base.lang.Problem;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.waypoint.ServicePart;
import io.fathom.wire.kube.ObjectKey;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

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
        return new Refusal(Set.of("Gateway/" + gateway.path()), error);
    }

    /// The objects that a culprit comes from.
    ///
    /// @param before what it was when it was good; empty when it was not there
    static Refusal of(Ingredient culprit, Optional<Ingredient> before, String error) {
        return culprit.content() instanceof ServicePart part
                ? ofPart(part, before.map(good -> (ServicePart) good.content()), error)
                : new Refusal(Set.of(culprit.object()), error);
    }

    /// The objects whose routes are new in the part; where there are none, the service.
    private static Refusal ofPart(ServicePart part, Optional<ServicePart> before, String error) {
        var objects = new LinkedHashSet<>(origins(part));
        before.ifPresent(known -> {
            if (!origins(known).containsAll(objects)) {
                objects.removeAll(origins(known));
            }
        });
        return new Refusal(objects.isEmpty() ? Set.of(name(part.service())) : objects, error);
    }

    /// Where a cluster comes from: a rule, else a service.
    static Refusal of(Metadata metadata, ObjectKey group, String error) {
        return origin(metadata)
                .or(() -> service(metadata))
                .map(object -> new Refusal(Set.of(object), error))
                .orElseGet(() -> ofGateway(group, error));
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

    private static Set<String> origins(ServicePart part) {
        var result = new LinkedHashSet<String>();
        for (var port : part.ports()) {
            Stream.of(port.http(), port.tcp()).flatMap(Optional::stream).forEach(chain -> collect(chain, result));
        }
        return result;
    }

    private static void collect(FilterChain chain, Set<String> result) {
        for (var filter : chain.getFiltersList()) {
            if (filter.getTypedConfig().is(HttpConnectionManager.class)) {
                try {
                    filter.getTypedConfig()
                            .unpack(HttpConnectionManager.class)
                            .getRouteConfig()
                            .getVirtualHostsList()
                            .forEach(host -> host.getRoutesList()
                                    .forEach(
                                            route -> origin(route.getMetadata()).ifPresent(result::add)));
                } catch (InvalidProtocolBufferException e) {
                    throw new IllegalStateException("we wrote it ourselves", e);
                }
            }
        }
    }

    /// As `/apis/<group>/<version>/namespaces/<namespace>/<kind>/<name>`.
    private static Optional<String> origin(Metadata metadata) {
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
