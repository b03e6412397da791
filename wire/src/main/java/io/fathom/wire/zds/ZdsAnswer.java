// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.zds;

import java.util.List;
import java.util.Optional;

/// What a proxy answers to a request.
///
/// @param refusal why it refuses; empty when all went well
/// @param listeners all that listen in the pod, if they were asked for; they belong to whoever has the answer
public record ZdsAnswer(Optional<String> refusal, List<PodListener> listeners) {
    public ZdsAnswer {
        listeners = List.copyOf(listeners);
    }
}
