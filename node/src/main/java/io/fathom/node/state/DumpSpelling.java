// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.model.policy.Authorization;
import java.util.Locale;

/// How upstream's dump spells the values of enumerations.
final class DumpSpelling {
    private DumpSpelling() {}

    static String of(Workload.TunnelProtocol protocol) {
        return protocol == Workload.TunnelProtocol.HBONE ? "HBONE" : "TCP";
    }

    static String of(Workload.NetworkMode mode) {
        return switch (mode) {
            case STANDARD -> "Standard";
            case HOST_NETWORK -> "HostNetwork";
        };
    }

    static String of(Workload.Type type) {
        return type.name().toLowerCase(Locale.ROOT);
    }

    static String of(Workload.Health health) {
        return capitalised(health);
    }

    static String of(LoadBalancing.Scope scope) {
        return capitalised(scope);
    }

    static String of(LoadBalancing.Mode mode) {
        return mode == LoadBalancing.Mode.UNSPECIFIED ? "Standard" : capitalised(mode);
    }

    static String of(LoadBalancing.HealthPolicy policy) {
        return switch (policy) {
            case ONLY_HEALTHY -> "OnlyHealthy";
            case ALLOW_ALL -> "AllowAll";
        };
    }

    static String of(Service.IpFamilies families) {
        return switch (families) {
            case AUTOMATIC -> "Automatic";
            case IPV4_ONLY -> "IPv4";
            case IPV6_ONLY -> "IPv6";
            case DUAL -> "Dual";
        };
    }

    static String of(Service.Visibility visibility) {
        return capitalised(visibility);
    }

    static String of(Authorization.Scope scope) {
        return scope == Authorization.Scope.WORKLOAD_SELECTOR ? "WorkloadSelector" : capitalised(scope);
    }

    static String of(Authorization.Action action) {
        return capitalised(action);
    }

    private static String capitalised(Enum<?> value) {
        return value.name().charAt(0) + value.name().substring(1).toLowerCase(Locale.ROOT);
    }
}
