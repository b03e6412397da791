// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import java.util.List;

/// How endpoints of a service are preferred.
public record LoadBalancing(List<Scope> preference, Mode mode, HealthPolicy healthPolicy) {
    public static final LoadBalancing NONE = new LoadBalancing(List.of(), Mode.UNSPECIFIED, HealthPolicy.ONLY_HEALTHY);

    /// What client and endpoint have in common, in the order of the wire's numbers.
    public enum Scope {
        UNSPECIFIED,
        REGION,
        ZONE,
        SUBZONE,
        NODE,
        CLUSTER,
        NETWORK
    }

    public enum Mode {
        UNSPECIFIED,
        STRICT,
        FAILOVER,
        PASSTHROUGH
    }

    public enum HealthPolicy {
        ONLY_HEALTHY,
        ALLOW_ALL
    }

    public LoadBalancing {
        preference = List.copyOf(preference);
    }
}
