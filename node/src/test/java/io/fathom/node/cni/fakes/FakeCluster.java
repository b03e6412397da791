// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.fakes;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.enrol.PodName;
import io.fathom.node.cni.enrol.RedirectionNotes;
import io.fathom.node.cni.pods.NodePods;
import io.fathom.node.cni.pods.PodChange;
import io.fathom.node.cni.pods.Redirection;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/// Pods and namespaces that a test changes, on one node; annotations are written back into it.
public final class FakeCluster implements RedirectionNotes {
    public static final String NODE = "node-1";
    public static final Map<String, String> AMBIENT = Map.of("istio.io/dataplane-mode", "ambient");

    public final NodePods pods = new NodePods(NODE);
    public final AtomicInteger failures = new AtomicInteger();
    private final Map<String, PodManifest> byName = new ConcurrentHashMap<>();
    private final Map<String, Redirection> written = new ConcurrentHashMap<>();
    private Consumer<List<PodChange>> listener = _ -> {};

    public synchronized void listen(Consumer<List<PodChange>> other) {
        listener = other;
    }

    public static PodManifest pod(String namespace, String name, String... ips) {
        return new PodManifest(
                new Metadata(
                        new ObjectKey("c", namespace, name),
                        "uid-" + name,
                        Map.of(),
                        Map.of(),
                        Instant.EPOCH,
                        Metadata.Lifecycle.ACTIVE),
                PodManifest.Phase.RUNNING,
                true,
                Arrays.stream(ips).map(ip -> Ip.parse(ip).orElseThrow()).toList(),
                NODE,
                "account",
                false,
                List.of(),
                Optional.empty(),
                "");
    }

    public static PodManifest with(PodManifest pod, PodManifest.Phase phase, List<Ip> ips) {
        return new PodManifest(
                pod.metadata(),
                phase,
                pod.ready(),
                ips,
                pod.node(),
                pod.serviceAccount(),
                pod.hostNetwork(),
                pod.ports(),
                pod.controller(),
                pod.generateName());
    }

    public static PodManifest labelled(PodManifest pod, Map<String, String> labels) {
        return with(
                pod,
                meta -> new Metadata(
                        meta.key(), meta.uid(), labels, meta.annotations(), meta.created(), meta.lifecycle()));
    }

    public static PodManifest annotated(PodManifest pod, Map<String, String> annotations) {
        return with(
                pod,
                meta -> new Metadata(
                        meta.key(), meta.uid(), meta.labels(), annotations, meta.created(), meta.lifecycle()));
    }

    private static PodManifest with(PodManifest pod, UnaryOperator<Metadata> change) {
        return new PodManifest(
                change.apply(pod.metadata()),
                pod.phase(),
                pod.ready(),
                pod.ips(),
                pod.node(),
                pod.serviceAccount(),
                pod.hostNetwork(),
                pod.ports(),
                pod.controller(),
                pod.generateName());
    }

    public synchronized void put(PodManifest pod) {
        byName.put(pod.name(), pod);
        listener.accept(pods.apply(List.of(new ManifestChange.Put(pod))));
    }

    /// Puts the pod with the annotations that it has by now.
    public synchronized void update(PodManifest pod) {
        var now = byName.get(pod.name());
        put(now == null ? pod : annotated(pod, now.annotations()));
    }

    public synchronized void delete(String namespace, String name) {
        byName.remove(name);
        listener.accept(
                pods.apply(List.of(new ManifestChange.Remove(PodManifest.class, new ObjectKey("c", namespace, name)))));
    }

    public synchronized void namespace(String name, Map<String, String> labels) {
        var metadata = new Metadata(
                new ObjectKey("c", "", name), "ns-" + name, labels, Map.of(), Instant.EPOCH, Metadata.Lifecycle.ACTIVE);
        listener.accept(pods.apply(List.of(new ManifestChange.Put(new NamespaceManifest(metadata)))));
    }

    @Override
    public synchronized void write(PodName pod, Redirection redirection) {
        if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new ProblemException(new Problem(
                    "api-down", "the API server is down", "none", Problem.Origin.SERVER, Problem.Retry.SENSIBLE));
        }
        written.put(pod.uid(), redirection);
        var now = byName.get(pod.name());
        if (now != null && now.metadata().uid().equals(pod.uid())) {
            var annotations = new HashMap<>(now.annotations());
            redirection
                    .value()
                    .ifPresentOrElse(
                            value -> annotations.put(Redirection.ANNOTATION, value),
                            () -> annotations.remove(Redirection.ANNOTATION));
            put(annotated(now, annotations));
        }
    }

    /// What was last written about a pod.
    public Optional<Redirection> noted(String uid) {
        return Optional.ofNullable(written.get(uid));
    }
}
