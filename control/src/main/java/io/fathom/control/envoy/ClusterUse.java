// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.wire.kube.manifest.ObjectKey;

/// That a proxy group sends to a port of a service.
///
/// @param service its resource name
/// @param subset as a DestinationRule calls it; empty for all of the service
record ClusterUse(
        ObjectKey group, ClusterName name, String service, int port, ClusterName.ClusterLayer layer, String subset) {
    ResourceKey key() {
        return ResourceKey.cluster(group, name.toString());
    }
}
