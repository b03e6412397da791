// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.control.gateway.GatewayProfile;
import io.fathom.wire.kube.tree.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What an Envoy without a companion starts with: the template `envoy-only.yaml`, in which each word in braces is
/// replaced by JSON. What only the pod knows is left to the kubelet, as `$(VARIABLE)`. Pure.
final class EnvoyOnlyBootstrap {
    private static final Pattern WORD = Pattern.compile("\\$\\{(\\w+)}");

    private final DeployedGateway gateway;
    private final GatewayProfile profile;
    private final DeploySettings settings;
    private final MeshFacts facts;

    EnvoyOnlyBootstrap(DeployedGateway gateway, GatewayProfile profile, DeploySettings settings, MeshFacts facts) {
        this.gateway = gateway;
        this.profile = profile;
        this.settings = settings;
        this.facts = facts;
    }

    /// @param labels of the pod
    String text(Map<String, String> labels) {
        var address = settings.controlPlane();
        var values = new HashMap<String, String>();
        values.put("node", json(node(labels)));
        values.put("controlPlane", json(address));
        values.put("controlName", json(address.substring(0, address.lastIndexOf(':'))));
        values.put("clusterId", json(settings.clusterId()));
        return WORD.matcher(template()).replaceAll(match -> {
            var value = values.get(match.group(1));
            if (value == null) {
                throw new IllegalStateException("the bootstrap has an unknown word " + match.group());
            }
            return Matcher.quoteReplacement(value);
        });
    }

    private Map<String, Object> node(Map<String, String> labels) {
        var name = gateway.objectName(profile);
        var metadata = new TreeMap<String, Object>();
        metadata.put("NAME", "$(POD_NAME)");
        metadata.put("NAMESPACE", "$(POD_NAMESPACE)");
        metadata.put("SERVICE_ACCOUNT", "$(SERVICE_ACCOUNT)");
        metadata.put("NODE_NAME", "$(NODE_NAME)");
        metadata.put("INSTANCE_IPS", "$(INSTANCE_IPS)");
        metadata.put("CLUSTER_ID", settings.clusterId());
        metadata.put("MESH_ID", facts.trustDomain());
        metadata.put("WORKLOAD_NAME", name);
        metadata.put("OWNER", "kubernetes://apis/apps/v1/namespaces/" + gateway.namespace() + "/deployments/" + name);
        metadata.put("LABELS", new TreeMap<>(labels));
        if (!facts.network().isEmpty()) {
            metadata.put("NETWORK", facts.network());
            if (profile == GatewayProfile.EAST_WEST) {
                metadata.put("REQUESTED_NETWORK_VIEW", facts.network());
            }
        }
        var id = "%s~$(INSTANCE_IP)~$(POD_NAME).$(POD_NAMESPACE)~$(POD_NAMESPACE).svc.%s"
                .formatted(profile.proxyType(), settings.domain());
        return Maps.map("id", id, "cluster", name + ".$(POD_NAMESPACE)", "metadata", metadata);
    }

    private static String json(Object value) {
        return Json.compact(Json.of(value));
    }

    private static String template() {
        try (var in = EnvoyOnlyBootstrap.class.getResourceAsStream("envoy-only.yaml")) {
            if (in == null) {
                throw new IllegalStateException("envoy-only.yaml is missing from the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
