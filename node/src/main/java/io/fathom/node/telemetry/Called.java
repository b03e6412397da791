// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

import io.fathom.model.mesh.Service;
import java.util.Optional;

/// The service that was called, as far as known.
public record Called(String hostname, String namespace, String name) {
    public static final Called UNKNOWN = new Called("", "", "");

    public static Called of(Optional<Service> service) {
        return service.map(known -> new Called(known.hostname(), known.namespace(), known.name()))
                .orElse(UNKNOWN);
    }
}
