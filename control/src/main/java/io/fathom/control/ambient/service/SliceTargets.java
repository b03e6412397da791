// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Markers;
import io.fathom.wire.kube.core.EndpointSliceManifest;
import io.fathom.wire.kube.core.EndpointSliceManifest.Endpoint;
import io.fathom.wire.kube.core.EndpointSliceManifest.TargetRef;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Pods that a slice puts behind a Service by reference. The slices that Kubernetes keeps for a Service with a selector
/// say nothing that the selector does not, and are left out.
public final class SliceTargets {
    private static final String SLICE_CONTROLLER = "endpointslice-controller.k8s.io";

    /// A pod that a slice refers to; it is that pod only if the uid is right, too.
    private record Reference(ObjectKey slice, ObjectKey pod, String uid) implements Comparable<Reference> {
        @Override
        public int compareTo(Reference other) {
            var bySlice = slice.compareTo(other.slice);
            var byPod = bySlice != 0 ? bySlice : pod.compareTo(other.pod);
            return byPod != 0 ? byPod : uid.compareTo(other.uid);
        }
    }

    /// The Service that a pod of that uid is behind.
    public record Target(ObjectKey pod, String uid, ServiceMember service) {}

    private final Table<ObjectKey, List<Target>> byPod;

    public SliceTargets(Flow flow, Inputs inputs, KubeServices services) {
        var references = flow.<ObjectKey, EndpointSliceManifest, Reference, Target>deriveMany(
                "endpoint-slices/references", inputs.slices(), (fetch, slice) -> {
                    if (!refersToPods(slice)) {
                        return Map.of();
                    }
                    return fetch.one(services.members(), slice.key().sibling(slice.service()))
                            .filter(service -> !isMirror(slice, service.selector()))
                            .map(service -> references(slice, service))
                            .orElse(Map.of());
                });
        var index = flow.index("endpoint-slices/by-pod", references, target -> Set.of(target.pod()));
        byPod = flow.reduce(
                "endpoint-slices/of-pod", index, (fetch, pod, targets) -> Optional.of(List.copyOf(targets)));
    }

    /// No row for the many pods that no slice refers to.
    public Table<ObjectKey, List<Target>> byPod() {
        return byPod;
    }

    /// Whether the endpoint is a workload of its own, rather than a pod that we know anyway.
    public static boolean isNoPod(Endpoint endpoint) {
        return endpoint.target().filter(target -> target.kind().equals("Pod")).isEmpty();
    }

    /// Whether it puts pods behind a Service.
    static boolean refersToPods(EndpointSliceManifest slice) {
        return !slice.service().isEmpty() && !slice.endpoints().stream().allMatch(SliceTargets::isNoPod);
    }

    /// Whether it says nothing that the selector of its Service does not.
    static boolean isMirror(EndpointSliceManifest slice, Map<String, String> selector) {
        return !selector.isEmpty()
                && slice.labels().getOrDefault(Markers.SLICE_MANAGED_BY, "").equals(SLICE_CONTROLLER);
    }

    /// The references to pods.
    static Stream<TargetRef> pods(EndpointSliceManifest slice) {
        return slice.endpoints().stream()
                .filter(endpoint -> !isNoPod(endpoint))
                .flatMap(endpoint -> endpoint.target().stream());
    }

    private static Map<Reference, Target> references(EndpointSliceManifest slice, ServiceMember service) {
        var result = new HashMap<Reference, Target>();
        pods(slice).forEach(target -> {
            var pod = pod(slice, target);
            result.put(new Reference(slice.key(), pod, target.uid()), new Target(pod, target.uid(), service));
        });
        return result;
    }

    static ObjectKey pod(EndpointSliceManifest slice, TargetRef target) {
        var namespace = target.namespace().isEmpty() ? slice.namespace() : target.namespace();
        return new ObjectKey(slice.key().cluster(), namespace, target.name());
    }
}
