// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import io.fathom.tools.query.FathomdClient;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Tree;
import io.fathom.wire.kube.trust.TrustBundleObject;
import java.util.List;
import java.util.Optional;

/// A cluster with an API server.
final class KubeAccess implements ClusterAccess {
    private static final String MANAGER = "fathomctl";
    private static final KubeResource GATEWAYS = KubeResource.of(GatewayManifest.class);

    private final String context;
    private final KubeClient client;
    private final String namespace;

    /// @param namespace of its control plane
    KubeAccess(String context, KubeClient client, String namespace) {
        this.context = context;
        this.client = client;
        this.namespace = namespace;
    }

    @Override
    public String context() {
        return context;
    }

    /// Where the control plane of a chart has it; upstream's default where it says nothing.
    @Override
    public Optional<String> clusterId() {
        var query =
                KubeQuery.all(KubeResource.DEPLOYMENTS).inNamespace(namespace).withLabels("app=istiod");
        return client.list(query).items().stream()
                .map(deployment -> clusterId(deployment.root()).orElse("Kubernetes"))
                .findFirst();
    }

    private static Optional<String> clusterId(Field deployment) {
        return deployment.at("spec").at("template").at("spec").at("containers").items().stream()
                .flatMap(container -> container.at("env").items().stream())
                .filter(variable -> variable.at("name").text().equals("CLUSTER_ID"))
                .map(variable -> variable.at("value").text())
                .filter(id -> !id.isEmpty())
                .findFirst();
    }

    @Override
    public Optional<String> roots() {
        return client.get(KubeResource.CONFIG_MAPS, namespace, "istio-ca-root-cert")
                .map(map -> map.root().at("data").at("root-cert.pem").text())
                .filter(pem -> !pem.isEmpty());
    }

    @Override
    public Optional<String> controlPlane() {
        return Optional.empty(); // the usual Service
    }

    @Override
    public Optional<FathomdClient> fathomd() {
        return Optional.empty(); // its debug pages are for loopback only
    }

    @Override
    public List<Tree> gateways() {
        return client.list(KubeQuery.all(GATEWAYS)).items().stream()
                .map(KubeObject::tree)
                .toList();
    }

    @Override
    public List<Tree> trustBundles(String where) {
        var query = KubeQuery.all(KubeResource.CONFIG_MAPS).inNamespace(where).withLabels(TrustBundleObject.LABEL);
        return client.list(query).items().stream().map(KubeObject::tree).toList();
    }

    @Override
    public Optional<Tree> object(LinkKind kind, String where, String name) {
        var resource = switch (kind) {
            case NAMESPACE -> KubeResource.NAMESPACES;
            case CONFIG_MAP -> KubeResource.CONFIG_MAPS;
        };
        return client.get(resource, where, name).map(KubeObject::tree);
    }

    @Override
    public void apply(Tree object) {
        var root = Field.root(object);
        var metadata = root.at("metadata");
        var resource = switch (root.at("kind").text()) {
            case "Gateway" -> GATEWAYS;
            case "ConfigMap" -> KubeResource.CONFIG_MAPS;
            default -> KubeResource.NAMESPACES;
        };
        var _ = client.apply(
                resource, metadata.at("namespace").text(), metadata.at("name").text(), object, MANAGER);
    }

    @Override
    public void deleteGateway(String where, String name) {
        var _ = client.delete(GATEWAYS, where, name);
    }

    @Override
    public void deleteConfigMap(String where, String name) {
        var _ = client.delete(KubeResource.CONFIG_MAPS, where, name);
    }

    @Override
    public void close() {
        client.close();
    }
}
