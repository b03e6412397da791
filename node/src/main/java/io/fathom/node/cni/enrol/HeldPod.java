// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.enrol;

import io.fathom.base.posix.NetworkNamespace;
import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.rules.CaptureSettings;
import java.util.Optional;
import java.util.Set;

/// What the agent holds of a pod that it captures.
///
/// @param namespace open as long as the pod is held; empty for a pod of an earlier run whose namespace was not found
/// @param addresses those that probes are let through to
public record HeldPod(
        PodName pod, Optional<NetworkNamespace> namespace, CaptureSettings settings, Set<Ip> addresses, Step step) {
    public HeldPod {
        addresses = Set.copyOf(addresses);
    }

    HeldPod at(Step reached) {
        return new HeldPod(pod, namespace, settings, addresses, reached);
    }

    HeldPod backTo(Step latest) {
        return step.compareTo(latest) > 0 ? at(latest) : this;
    }

    HeldPod with(Set<Ip> others) {
        return new HeldPod(pod, namespace, settings, others, step);
    }

    boolean isComplete() {
        return step == Step.NOTED;
    }

    void close() {
        namespace.ifPresent(NetworkNamespace::close);
    }
}
