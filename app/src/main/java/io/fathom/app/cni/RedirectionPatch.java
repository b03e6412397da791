// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

import io.fathom.node.cni.enrol.PodName;
import io.fathom.node.cni.pods.Redirection;

/// The merge patch that writes a pod's annotation, if it is still the same pod. Pure.
final class RedirectionPatch {
    private RedirectionPatch() {}

    static String of(PodName pod, Redirection redirection) {
        var value = redirection.value().map(word -> "\"" + word + "\"").orElse("null");
        return "{\"metadata\":{\"uid\":\"%s\",\"annotations\":{\"%s\":%s}}}"
                .formatted(pod.uid(), Redirection.ANNOTATION, value);
    }
}
