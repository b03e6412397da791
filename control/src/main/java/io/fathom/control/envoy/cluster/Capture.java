// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.fathom.model.mesh.Workload;
import java.util.Collection;

/// Who makes the tunnels of proxies.
public enum Capture {
    /// The proxies do.
    FREE,
    /// Their node proxies do, and would put a tunnel of a proxy into one of their own.
    CAPTURED;

    /// That of the proxies of a group: all are captured, or it is about to change.
    public static Capture of(Collection<Workload> pods) {
        return !pods.isEmpty() && pods.stream().allMatch(Workload::isCaptured) ? CAPTURED : FREE;
    }
}
