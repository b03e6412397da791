// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.envoyproxy.envoy.type.metadata.v3.MetadataKey;
import io.envoyproxy.envoy.type.metadata.v3.MetadataKind;
import io.envoyproxy.envoy.type.tracing.v3.CustomTag;
import io.fathom.control.envoy.telemetry.PeerState.Part;
import io.fathom.control.envoy.telemetry.TracePlan.IstioTags;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.view.Situation;
import io.fathom.wire.kube.telemetry.TraceTag;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The tags of spans: who made it, between whom the request went, and what users ask for. Sorted by name.
final class SpanTags {
    /// The number of the field `value` in CustomTag, which the Java API of Envoy that we build with does not have yet.
    private static final int FORMATTED_VALUE = 6;

    private static final String RBAC = "envoy.filters.http.rbac";

    private SpanTags() {}

    static List<CustomTag> of(TracePlan plan, Situation situation, String meshId) {
        var tags = new TreeMap<String, CustomTag>();
        if (plan.istioTags() == IstioTags.ALL) {
            proxyTags(tags, situation, meshId);
            dryRunTags(tags);
        }
        if (situation.group().role() != ProxyRole.INGRESS) {
            peerTags(tags);
        }
        plan.tags().forEach((name, tag) -> tags.put(name, tag(name, tag)));
        return List.copyOf(tags.values());
    }

    private static void proxyTags(Map<String, CustomTag> tags, Situation situation, String meshId) {
        var group = situation.group();
        put(tags, literal("istio.canonical_service", MetricLabels.canonicalService(group)));
        put(tags, literal("istio.canonical_revision", MetricLabels.canonicalRevision(group)));
        put(tags, literal("istio.mesh_id", MetricLabels.orUnknown(meshId)));
        put(tags, literal("istio.namespace", group.namespace()));
        put(
                tags,
                literal(
                        "istio.cluster_id",
                        MetricLabels.orUnknown(group.gateway().cluster())));
    }

    private static void dryRunTags(Map<String, CustomTag> tags) {
        for (var action : List.of("allow", "deny")) {
            var prefix = "istio.authorization.dry_run." + action + "_policy.";
            put(tags, ofRbac(prefix + "name", "istio_dry_run_" + action + "_shadow_effective_policy_id"));
            put(tags, ofRbac(prefix + "result", "istio_dry_run_" + action + "_shadow_engine_result"));
        }
    }

    private static void peerTags(Map<String, CustomTag> tags) {
        put(tags, formatted("istio.source_workload", Part.WORKLOAD.format()));
        put(tags, formatted("istio.source_namespace", Part.NAMESPACE.format()));
        put(tags, formatted("istio.source_cluster_id", Part.CLUSTER.format()));
        put(tags, formatted("istio.source_canonical_service", Part.CANONICAL.format()));
        put(tags, formatted("istio.source_canonical_revision", Part.REVISION.format()));
        put(tags, formatted("istio.destination_workload", UpstreamState.WORKLOAD));
        put(tags, formatted("istio.destination_namespace", UpstreamState.NAMESPACE));
        put(tags, formatted("istio.destination_cluster_id", UpstreamState.CLUSTER));
        put(tags, formatted("istio.destination_canonical_service", UpstreamState.CANONICAL));
        put(tags, formatted("istio.destination_canonical_revision", UpstreamState.REVISION));
    }

    private static CustomTag tag(String name, TraceTag tag) {
        return switch (tag) {
            case TraceTag.Literal(var value) -> literal(name, value);
            case TraceTag.Environment(var variable, var fallback) ->
                CustomTag.newBuilder()
                        .setTag(name)
                        .setEnvironment(CustomTag.Environment.newBuilder()
                                .setName(variable)
                                .setDefaultValue(fallback))
                        .build();
            case TraceTag.RequestHeader(var header, var fallback) ->
                CustomTag.newBuilder()
                        .setTag(name)
                        .setRequestHeader(
                                CustomTag.Header.newBuilder().setName(header).setDefaultValue(fallback))
                        .build();
            case TraceTag.Formatted(var format) -> formatted(name, format);
        };
    }

    private static CustomTag literal(String name, String value) {
        return CustomTag.newBuilder()
                .setTag(name)
                .setLiteral(CustomTag.Literal.newBuilder().setValue(value))
                .build();
    }

    private static CustomTag formatted(String name, String format) {
        var value = UnknownFieldSet.Field.newBuilder()
                .addLengthDelimited(ByteString.copyFromUtf8(format))
                .build();
        return CustomTag.newBuilder()
                .setTag(name)
                .setUnknownFields(UnknownFieldSet.newBuilder()
                        .addField(FORMATTED_VALUE, value)
                        .build())
                .build();
    }

    private static CustomTag ofRbac(String name, String key) {
        return CustomTag.newBuilder()
                .setTag(name)
                .setMetadata(CustomTag.Metadata.newBuilder()
                        .setKind(MetadataKind.newBuilder().setRequest(MetadataKind.Request.getDefaultInstance()))
                        .setMetadataKey(MetadataKey.newBuilder()
                                .setKey(RBAC)
                                .addPath(MetadataKey.PathSegment.newBuilder().setKey(key))))
                .build();
    }

    private static void put(Map<String, CustomTag> tags, CustomTag tag) {
        tags.put(tag.getTag(), tag);
    }
}
