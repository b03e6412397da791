// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.input;

import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;

/// Host names of Kubernetes Services.
public final class Hosts {
    private static final String MESH_DOMAIN = "mesh.internal";
    private static final String CLUSTER_SET_DOMAIN = "svc.clusterset.local";

    private Hosts() {}

    /// The name of a Service that means the same in all clusters: that Service wherever it is.
    public static String meshNameOf(String namespace, String name) {
        return name + "." + namespace + "." + MESH_DOMAIN;
    }

    /// The resource name of that: `namespace/hostname`.
    public static String meshKeyOf(String namespace, String name) {
        return namespace + "/" + meshNameOf(namespace, name);
    }

    /// The name of a Service in all clusters that export it, as the Multi-Cluster Services API gives it.
    public static String clusterSetNameOf(String namespace, String name) {
        return name + "." + namespace + "." + CLUSTER_SET_DOMAIN;
    }

    /// The resource name of that: `namespace/hostname`.
    public static String clusterSetKeyOf(String namespace, String name) {
        return namespace + "/" + clusterSetNameOf(namespace, name);
    }

    public static String nameOf(ObjectKey service, String domain) {
        return service.name() + "." + service.namespace() + ".svc." + domain;
    }

    /// The resource name: `namespace/hostname`.
    public static String keyOf(ObjectKey service, String domain) {
        return service.namespace() + "/" + nameOf(service, domain);
    }

    /// The Service that a host name means; empty for any host outside of Kubernetes.
    public static Optional<ObjectKey> serviceOf(String cluster, String hostname, String domain) {
        var suffix = ".svc." + domain;
        if (!hostname.endsWith(suffix)) {
            return Optional.empty();
        }
        var parts = hostname.substring(0, hostname.length() - suffix.length()).split("\\.", -1);
        return parts.length == 2 && !parts[0].isEmpty() && !parts[1].isEmpty()
                ? Optional.of(new ObjectKey(cluster, parts[1], parts[0]))
                : Optional.empty();
    }
}
