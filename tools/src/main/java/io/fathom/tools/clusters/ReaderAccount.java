// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.clusters;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.install.Waiting;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.tree.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/// The account in a cluster that control planes of others read it with. It may read what the mesh needs of another
/// cluster, and no Secrets.
final class ReaderAccount {
    private static final String MANAGER = "fathomctl";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final KubeResource ROLES =
            new KubeResource("rbac.authorization.k8s.io", "v1", "clusterroles", KubeResource.Scope.CLUSTER);
    private static final KubeResource BINDINGS =
            new KubeResource("rbac.authorization.k8s.io", "v1", "clusterrolebindings", KubeResource.Scope.CLUSTER);

    private final KubeClient client;
    private final String namespace;
    private final String account;

    /// What proves the account, and who signs for its API server.
    ///
    /// @param authority PEM in base64, as Secrets and kubeconfigs have it
    record Token(String token, String authority) {
        @Override
        public String toString() {
            return "***";
        }
    }

    ReaderAccount(KubeClient client, String namespace, String account) {
        this.client = client;
        this.namespace = namespace;
        this.account = account;
    }

    /// The id of the cluster where nobody gave it another.
    String clusterUid() {
        return client.get(KubeResource.NAMESPACES, "", "kube-system")
                .map(KubeObject::uid)
                .orElseThrow(() -> problem("there is no namespace kube-system", "name the cluster with --name"));
    }

    /// Makes it and lets it read, unless it is there: then its rights are somebody else's affair.
    void create() {
        if (client.get(KubeResource.SERVICE_ACCOUNTS, namespace, account).isPresent()) {
            return;
        }
        var role = account + "-" + namespace;
        apply(KubeResource.SERVICE_ACCOUNTS, namespace, account, Map.of("kind", "ServiceAccount"));
        apply(
                ROLES,
                "",
                role,
                Map.of(
                        "kind",
                        "ClusterRole",
                        "rules",
                        List.of(
                                rule("", "pods", "services", "namespaces", "nodes"),
                                rule("discovery.k8s.io", "endpointslices"),
                                rule("gateway.networking.k8s.io", "gateways"),
                                rule("multicluster.x-k8s.io", "serviceexports"))));
        apply(
                BINDINGS,
                "",
                role,
                Map.of(
                        "kind", "ClusterRoleBinding",
                        "roleRef", Map.of("apiGroup", ROLES.group(), "kind", "ClusterRole", "name", role),
                        "subjects",
                                List.of(Map.of("kind", "ServiceAccount", "name", account, "namespace", namespace))));
    }

    private static Map<String, Object> rule(String group, String... resources) {
        return Map.of(
                "apiGroups", List.of(group), "resources", List.of(resources), "verbs", List.of("get", "list", "watch"));
    }

    private void apply(KubeResource resource, String where, String name, Map<String, Object> content) {
        var object = new HashMap<>(content);
        object.put("apiVersion", resource.apiVersion());
        object.put("metadata", where.isEmpty() ? Map.of("name", name) : Map.of("name", name, "namespace", where));
        client.apply(resource, where, name, Json.of(object), MANAGER);
    }

    /// The lasting token of the account, made if it is not there.
    ///
    /// @param secret that holds it; empty for the usual one
    Token token(String secret) {
        if (client.get(KubeResource.SERVICE_ACCOUNTS, namespace, account).isEmpty()) {
            throw problem(
                    "there is no service account " + namespace + "/" + account,
                    "create it, or let --create-service-account true do so");
        }
        var name = secret.isEmpty() ? account + "-istio-remote-secret-token" : secret;
        if (client.get(KubeResource.SECRETS, namespace, name).isEmpty()) {
            client.create(
                    KubeResource.SECRETS,
                    namespace,
                    Json.of(Map.of(
                            "apiVersion", "v1",
                            "kind", "Secret",
                            "type", "kubernetes.io/service-account-token",
                            "metadata",
                                    Map.of(
                                            "name", name,
                                            "namespace", namespace,
                                            "annotations", Map.of("kubernetes.io/service-account.name", account)))));
        }
        var found = new AtomicReference<Optional<Token>>(Optional.empty());
        var _ = new Waiting().until(PATIENCE, () -> {
            found.set(client.get(KubeResource.SECRETS, namespace, name).flatMap(ReaderAccount::token));
            return found.get().isPresent();
        });
        return found.get()
                .orElseThrow(() -> problem(
                        "Secret " + namespace + "/" + name + " got no token within " + PATIENCE.toSeconds() + " s",
                        "check that the controller manager of the cluster runs, and that the Secret is for account "
                                + account));
    }

    private static Optional<Token> token(KubeObject secret) {
        var data = secret.root().at("data");
        var token = data.at("token").text();
        var authority = data.at("ca.crt").text();
        return token.isEmpty() || authority.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new Token(new String(Base64.getDecoder().decode(token), StandardCharsets.UTF_8), authority));
    }

    private static ProblemException problem(String message, String fix) {
        return new ProblemException(Problem.ofInput("no-remote-secret", message, fix));
    }
}
