// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.view;

import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Map;

/// The proxies that are configured alike: those of one Gateway.
///
/// @param gateway the Gateway they belong to
/// @param labels of their pods; Istio's own Gateways and policies select by them
/// @param network that they are in; empty for the default one
public record ProxyGroup(ProxyRole role, ObjectKey gateway, Map<String, String> labels, String network) {
    public ProxyGroup {
        labels = Map.copyOf(labels);
    }

    public String namespace() {
        return gateway.namespace();
    }
}
