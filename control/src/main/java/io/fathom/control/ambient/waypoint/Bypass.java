// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import io.fathom.base.lang.Truth;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import java.util.Optional;

/// Whether calls may reach what is behind a waypoint without going through it.
public enum Bypass {
    ALLOWED,
    FORBIDDEN;

    /// What holds where a Gateway does not say.
    static Bypass ofMesh(AmbientConfig config) {
        return config.has(Feature.REQUIRE_WAYPOINT) ? FORBIDDEN : ALLOWED;
    }

    /// What a Gateway says. A value that cannot be read forbids it: it must not open what its author meant to close.
    Bypass or(Optional<String> annotation) {
        return annotation
                .map(text -> Truth.parse(text).orElse(true) ? FORBIDDEN : ALLOWED)
                .orElse(this);
    }

    /// Of several waypoints in front of one workload the strictest counts.
    public Bypass and(Bypass other) {
        return this == FORBIDDEN ? this : other;
    }
}
