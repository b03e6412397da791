// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Who the proxy says it is to the control plane: the `node` of Envoy's bootstrap. Pure.
///
/// @param ip empty when it is not known
/// @param version of ours, in the place of Istio's
/// @param environment variables ISTIO_META_X become the entry X, those with ISTIO_METAJSON_ are JSON
record EnvoyNode(
        ProxyCommand command,
        String ip,
        List<String> ips,
        String pod,
        String namespace,
        String serviceAccount,
        PodFacts facts,
        ProxyOptions options,
        String version,
        Map<String, String> environment) {
    private static final String META = "ISTIO_META_";
    private static final String META_JSON = "ISTIO_METAJSON_";

    /// As JSON.
    String json() {
        var node = new LinkedHashMap<String, Object>();
        node.put("id", id());
        node.put("cluster", cluster());
        node.put("metadata", metadata());
        return Json.compact(Json.of(node));
    }

    /// `type~ip~pod.namespace~domain`.
    String id() {
        return String.join(
                "~",
                command.type().word(),
                ip.isEmpty() ? "127.0.0.1" : ip,
                pod + "." + namespace,
                command.domain().orElse(namespace + ".svc.cluster.local"));
    }

    private String cluster() {
        return command.serviceCluster()
                .or(() -> Optional.ofNullable(facts.labels().get("app")).map(app -> app + "." + namespace))
                .or(() -> Optional.ofNullable(environment.get(META + "WORKLOAD_NAME"))
                        .map(name -> name + "." + namespace))
                .orElse("istio-proxy." + namespace);
    }

    String clusterId() {
        return environment.getOrDefault(META + "CLUSTER_ID", "Kubernetes");
    }

    private Map<String, Object> metadata() {
        var metadata = new TreeMap<String, Object>();
        metadata.put("NAME", pod);
        metadata.put("NAMESPACE", namespace);
        metadata.put("SERVICE_ACCOUNT", serviceAccount);
        metadata.put("CLUSTER_ID", clusterId());
        metadata.put("ISTIO_VERSION", version);
        metadata.put("INSTANCE_IPS", String.join(",", ips));
        metadata.put("LABELS", new TreeMap<>(facts.labels()));
        metadata.put("ANNOTATIONS", new TreeMap<>(facts.annotations()));
        metadata.put("PROXY_CONFIG", options.whole());
        environment.forEach((name, value) -> {
            if (name.startsWith(META)) {
                metadata.put(name.substring(META.length()), value);
            }
        });
        options.metadata().forEach((name, value) -> {
            if (name.startsWith(META)) {
                metadata.put(name.substring(META.length()), value);
            }
        });
        environment.forEach((name, value) -> {
            if (name.startsWith(META_JSON)) {
                json(name, value).ifPresent(tree -> add(metadata, name.substring(META_JSON.length()), tree));
            }
        });
        return metadata;
    }

    /// Labels and annotations are added to those of the pod; anything else counts instead.
    private static void add(Map<String, Object> metadata, String name, Tree tree) {
        if (tree instanceof Tree.Mapping mapping && metadata.get(name) instanceof Map<?, ?> known) {
            var both = new TreeMap<String, Object>();
            known.forEach((key, value) -> both.put((String) key, value));
            both.putAll(mapping.entries());
            metadata.put(name, both);
        } else {
            metadata.put(name, tree);
        }
    }

    private static Optional<Tree> json(String name, String text) {
        try {
            return Optional.of(Json.parse("environment variable " + name, text));
        } catch (MisreadException e) {
            return Optional.empty(); // upstream leaves it out, too
        }
    }

    static List<String> addresses(String list, String first) {
        var all = Arrays.stream(list.split(",", -1))
                .map(String::strip)
                .filter(address -> !address.isEmpty())
                .toList();
        return all.isEmpty() && !first.isEmpty() ? List.of(first) : all;
    }
}
