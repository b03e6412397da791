// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.webhook;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Offers the API server an object that our webhook must refuse, without having it stored if it does not.
final class ValidationProbe {
    private static final Logger log = LoggerFactory.getLogger(ValidationProbe.class);
    private static final KubeResource POLICIES =
            new KubeResource("security.istio.io", "v1", "authorizationpolicies", KubeResource.Scope.NAMESPACE);
    private static final String NAME = "fathom-validation-probe";

    private final KubeClient client;
    private final String namespace;
    private final String revision;

    ValidationProbe(KubeClient client, String namespace, String revision) {
        this.client = client;
        this.namespace = namespace;
        this.revision = revision;
    }

    /// Whether the object was refused, and by a webhook: with our revision's label or, for the configuration that
    /// validates objects without one, without.
    boolean isRefused() {
        return isRefused(Map.of("istio.io/rev", revision)) || isRefused(Map.of());
    }

    private boolean isRefused(Map<String, String> labels) {
        try {
            client.rehearseCreate(POLICIES, namespace, bad(labels));
            return false;
        } catch (ProblemException e) {
            if (e.problem().message().contains("denied the request")
                    && e.problem().message().contains(NAME)) {
                return true;
            }
            log.atDebug().addKeyValue("problem", e.problem()).log("the validation probe proved nothing");
            return false;
        }
    }

    /// The API server's own schema has nothing against it.
    private Tree bad(Map<String, String> labels) {
        var rule = Map.of("to", List.of(Map.of("operation", Map.of("ports", List.of("none")))));
        return Json.of(Map.of(
                "apiVersion",
                POLICIES.apiVersion(),
                "kind",
                "AuthorizationPolicy",
                "metadata",
                Map.of("name", NAME, "namespace", namespace, "labels", labels),
                "spec",
                Map.of("rules", List.of(rule))));
    }
}
