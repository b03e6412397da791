// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.plugin;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.KubeSettings;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.manifest.Manifest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/// Asks the API server. For one thread.
final class ApiPodLookup implements PodLookup {
    /// A runtime waits for us, and asks again if we fail.
    private static final KubeSettings SETTINGS = new KubeSettings(
            Duration.ofSeconds(5),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            1,
            Duration.ofSeconds(1));

    private final KubeClient client;
    private final ManifestReader reader =
            new ManifestReader(ReaderConfig.of("", "", "istio-system").ofApiServer());

    ApiPodLookup(Path kubeconfig) {
        this.client = new KubeClient(KubeConfig.fromFile(kubeconfig), SETTINGS);
    }

    @Override
    public Found find(PodArgs pod) {
        return new Found(
                object(PodManifest.class, KubeResource.PODS, pod.namespace(), pod.name()),
                object(NamespaceManifest.class, KubeResource.NAMESPACES, "", pod.namespace()));
    }

    private <M extends Manifest> M object(Class<M> type, KubeResource resource, String namespace, String name) {
        var object = client.get(resource, namespace, name)
                .orElseThrow(() -> problem("kube-not-found", "there is no " + resource + " " + namespace + "/" + name));
        return read(type, object);
    }

    private <M extends Manifest> M read(Class<M> type, KubeObject object) {
        for (var reading : reader.read(object.tree(), _ -> Instant.EPOCH)) {
            if (reading instanceof Reading.Good good && type.isInstance(good.manifest())) {
                return type.cast(good.manifest());
            }
            if (reading instanceof Reading.Bad bad) {
                throw problem(
                        "kube-object-unreadable", bad.problems().getFirst().toString());
            }
        }
        throw problem("kube-object-unreadable", "the API server sent something that is no " + type.getSimpleName());
    }

    private static ProblemException problem(String code, String message) {
        return new ProblemException(
                new Problem(code, message, "look at the object with kubectl", Origin.SERVER, Retry.SENSIBLE));
    }

    @Override
    public void close() {
        client.close();
    }
}
