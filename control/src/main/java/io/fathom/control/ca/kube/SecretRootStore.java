// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.kube;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.ca.RootStore;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Keeps the root in a Secret, under the names that Istio uses, so that all replicas sign with the same one and either
/// control plane can follow the other. Of several that create it at once, one does and the others read; a change is
/// stored only if nobody else changed the Secret since it was read. Any thread.
public final class SecretRootStore implements RootStore {
    private static final String GENERATED = "istio-generated";

    private final KubeClient client;
    private final String namespace;
    private final RootSecret place;

    /// Which Secret it is.
    public enum RootSecret {
        /// Ours alone.
        ISTIO_CA_SECRET("istio-ca-secret", "istio.io/ca-root"),
        /// The one that plugged certificates come in, marked as not plugged in.
        CACERTS("cacerts", "Opaque"),
        /// The same for whoever plugs certificates in.
        PLUGGED_CACERTS("cacerts", "Opaque");

        private final String secret;
        private final String type;

        RootSecret(String secret, String type) {
            this.secret = secret;
            this.type = type;
        }

        public String secret() {
            return secret;
        }
    }

    /// Nothing is read yet.
    ///
    /// @param namespace that the control plane runs in
    public SecretRootStore(KubeClient client, String namespace, RootSecret place) {
        this.client = client;
        this.namespace = namespace;
        this.place = place;
    }

    @Override
    public Optional<Content> read() {
        return client.get(KubeResource.SECRETS, namespace, place.secret).map(this::content);
    }

    @Override
    public boolean replace(Optional<Content> expected, Content content) {
        return expected.map(before -> change(before, content)).orElseGet(() -> create(content));
    }

    /// Calls `onChange` when the Secret has changed, on a thread of the watch.
    public AutoCloseable watch(Runnable onChange) {
        var query =
                KubeQuery.all(KubeResource.SECRETS).inNamespace(namespace).withFields("metadata.name=" + place.secret);
        return client.watch(query, _ -> onChange.run());
    }

    private boolean create(Content content) {
        var secret = Json.of(Map.of(
                "apiVersion",
                "v1",
                "kind",
                "Secret",
                "metadata",
                Map.of("name", place.secret, "namespace", namespace),
                "type",
                place.type,
                "data",
                encoded(content)));
        return unlessConflicting(() -> {
            client.create(KubeResource.SECRETS, namespace, secret);
            return true;
        });
    }

    private boolean change(Content before, Content content) {
        var stored = client.get(KubeResource.SECRETS, namespace, place.secret);
        if (stored.isEmpty() || !content(stored.get()).equals(before)) {
            return false;
        }
        var data = new LinkedHashMap<String, Object>(encoded(content));
        before.entries().keySet().forEach(name -> data.putIfAbsent(name, Json.NOTHING));
        // The version makes the server refuse this once anybody has changed the Secret in between.
        var patch = Json.of(
                Map.of("metadata", Map.of("resourceVersion", stored.get().resourceVersion()), "data", data));
        return unlessConflicting(() -> client.patch(KubeResource.SECRETS, namespace, place.secret, patch)
                .isPresent());
    }

    private static boolean unlessConflicting(Write write) {
        try {
            return write.done();
        } catch (ProblemException e) {
            if (e.problem().code().equals("kube-conflict")) {
                return false;
            }
            throw e;
        }
    }

    @FunctionalInterface
    private interface Write {
        boolean done();
    }

    private Map<String, String> encoded(Content content) {
        var data = new TreeMap<String, String>();
        content.entries()
                .forEach((name, value) ->
                        data.put(name, Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8))));
        if (place == RootSecret.CACERTS) {
            data.put(GENERATED, "");
        }
        return data;
    }

    private Content content(KubeObject secret) {
        var entries = new LinkedHashMap<String, String>();
        try {
            secret.root()
                    .at("data")
                    .textMap()
                    .forEach((name, value) ->
                            entries.put(name, new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8)));
        } catch (MisreadException | IllegalArgumentException e) {
            throw unusable("is damaged"); // without quoting what is in it
        }
        if (place == RootSecret.CACERTS && entries.remove(GENERATED) == null) {
            throw unusable("holds plugged certificates, which are read from a folder");
        }
        if (place == RootSecret.PLUGGED_CACERTS && entries.containsKey(GENERATED)) {
            throw new ProblemException(new Problem(
                    "cacerts-generated",
                    "Secret " + namespace + "/" + place.secret + " holds a root that a control plane made for itself",
                    "start the control planes without USE_CACERTS_FOR_SELF_SIGNED_CA, keep a copy of the Secret, and"
                            + " delete it",
                    Problem.Origin.SERVER,
                    Problem.Retry.SENSIBLE));
        }
        if (!entries.containsKey("ca-cert.pem") || !entries.containsKey("ca-key.pem")) {
            throw unusable("lacks ca-cert.pem or ca-key.pem");
        }
        return new Content(entries);
    }

    private ProblemException unusable(String what) {
        return new ProblemException(new Problem(
                "ca-secret-unusable",
                "Secret " + namespace + "/" + place.secret + " " + what,
                "restore it from a copy; or delete it, and every workload gets a certificate of a new root",
                Problem.Origin.SERVER,
                Problem.Retry.POINTLESS));
    }
}
