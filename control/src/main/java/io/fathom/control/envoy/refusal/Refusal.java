// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.refusal;

import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.Metadata;
import io.fathom.base.lang.Problem;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GrpcRouteManifest;
import io.fathom.wire.kube.gateway.HttpRouteManifest;
import io.fathom.wire.kube.gateway.TcpRouteManifest;
import io.fathom.wire.kube.gateway.TlsRouteManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.DestinationRuleManifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What proxies refused, and the objects that it comes from.
record Refusal(Set<ManifestId> objects, String error) {
    private static final Map<String, Class<? extends Manifest>> KINDS = Map.ofEntries(
            Map.entry("http-route", HttpRouteManifest.class),
            Map.entry("httproute", HttpRouteManifest.class),
            Map.entry("grpc-route", GrpcRouteManifest.class),
            Map.entry("grpcroute", GrpcRouteManifest.class),
            Map.entry("tcp-route", TcpRouteManifest.class),
            Map.entry("tls-route", TlsRouteManifest.class),
            Map.entry("virtual-service", VirtualServiceManifest.class),
            Map.entry("destination-rule", DestinationRuleManifest.class));

    /// Nothing that a user wrote for a service: the Gateway itself.
    static Refusal ofGateway(ObjectKey gateway, String error) {
        return new Refusal(Set.of(gateway(gateway)), error);
    }

    /// The object that a culprit comes from.
    static Refusal of(Ingredient culprit, String error) {
        return new Refusal(Set.of(culprit.object()), error);
    }

    /// Where a cluster comes from: a rule, else a service.
    static Refusal of(Metadata metadata, ObjectKey group, String error) {
        return new Refusal(Set.of(origin(metadata, group)), error);
    }

    /// A rule, else a service, else the Gateway.
    static ManifestId origin(Metadata metadata, ObjectKey group) {
        return rule(metadata, group.cluster())
                .or(() -> service(metadata, group.cluster()))
                .orElseGet(() -> gateway(group));
    }

    private static ManifestId gateway(ObjectKey group) {
        return new ManifestId(GatewayManifest.class, group);
    }

    private static Optional<ManifestId> service(Metadata metadata, String cluster) {
        var istio = metadata.getFilterMetadataMap().get("istio");
        return istio == null || !istio.containsFields("services")
                ? Optional.empty()
                : istio.getFieldsOrThrow("services").getListValue().getValuesList().stream()
                        .map(value -> value.getStructValue().getFieldsMap())
                        .filter(fields -> fields.containsKey("name") && fields.containsKey("namespace"))
                        .map(fields -> new ManifestId(
                                ServiceManifest.class,
                                new ObjectKey(cluster, text(fields, "namespace"), text(fields, "name"))))
                        .findFirst();
    }

    private static String text(Map<String, Value> fields, String name) {
        return fields.getOrDefault(name, Value.getDefaultInstance()).getStringValue();
    }

    /// As `/apis/<group>/<version>/namespaces/<namespace>/<kind>/<name>`.
    private static Optional<ManifestId> rule(Metadata metadata, String cluster) {
        var istio = metadata.getFilterMetadataMap().get("istio");
        var path = istio == null || !istio.containsFields("config")
                ? ""
                : istio.getFieldsOrThrow("config").getStringValue();
        var words = path.split("/", -1);
        return words.length == 8 && words[4].equals("namespaces")
                ? Optional.ofNullable(KINDS.get(words[6]))
                        .map(kind -> new ManifestId(kind, new ObjectKey(cluster, words[5], words[7])))
                : Optional.empty();
    }

    Map<ProblemKey, ObjectProblem> problems() {
        return ObjectProblem.rows(objects.stream()
                .map(object -> ObjectProblem.error(
                        object,
                        "",
                        Problem.ofInput(
                                "envoy-refused",
                                "proxies refuse what " + object.path() + " says, and go on with what they had: "
                                        + error,
                                "correct the object; see the message of the proxy")))
                .toList());
    }
}
